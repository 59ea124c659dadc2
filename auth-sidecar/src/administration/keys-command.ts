import type { AuditTrail } from "../audit/audit-trail.ts";
import type { KeyRepository } from "../keys/key-repository.ts";
import { type KeyRotation, RotationUnderWay } from "../keys/key-rotation.ts";
import { AdministrationError } from "./administration-error.ts";
import type { Command } from "./command.ts";

export interface KeysParts {
  readonly keys: KeyRepository;
  readonly rotation: KeyRotation;
  readonly audit: AuditTrail;
}

/** `keys …`: see usage. Gives the rows to print. */
export async function keysCommand(
  { words: [verb, id] }: Command,
  { keys, rotation, audit }: KeysParts,
): Promise<readonly object[] | string> {
  const record = (event: "key-rotated" | "key-retired", kid: string) =>
    audit.record({ event, outcome: "success", detail: { kid, by: "command" } });
  switch (verb) {
    case "list":
      return keys.all();
    case "rotate": {
      const rotated = await rotation.rotate().catch((error: unknown) => {
        throw error instanceof RotationUnderWay ? new AdministrationError(error.message) : error;
      });
      await record("key-rotated", rotated.id);
      return `key ${rotated.id} is published and signs from ${rotated.signsFrom.toISOString()}`;
    }
    case "retire": {
      if (id === undefined) throw new AdministrationError("which key? Give its id from keys list");
      const retired = await rotation.retire(id);
      if (retired === undefined) throw new AdministrationError(`there is no key ${id}, or it is retired already`);
      await record("key-retired", id);
      return retired.replacement === undefined
        ? `key ${id} is withdrawn`
        : `key ${id} is withdrawn; key ${retired.replacement} signs in its place at once`;
    }
    default:
      throw new AdministrationError(`keys ${verb ?? ""} is no command; see --help`);
  }
}
