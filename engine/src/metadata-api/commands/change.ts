import { z } from "zod";
import { EngineError, type EngineErrorCode } from "../../errors.ts";
import type { MergedPath } from "@routeql/metadata/read/load";
import type { Inconsistency } from "@routeql/metadata/read/problems";
import { parseArguments } from "../parse-arguments.ts";

/** Merged metadata, or an object of them. */
export type Json = Readonly<Record<string, unknown>>;

/** Result of a command on metadata, before the check against the databases. */
export interface Change {
  readonly metadata: Json;
  /** Place of the command's object: if it does not match the database, the error explains why. */
  readonly object?: MergedPath;
  /**
   * Repaired metadata for newly inconsistent objects; undefined when no repair is possible.
   * @throws EngineError
   */
  readonly mend?: (metadata: Json, unfit: readonly Inconsistency[]) => Json | undefined;
  /** Must run before later commands of a list, which may reuse a name that this command deletes. */
  readonly goesAlone?: boolean;
  /** The reply after the change; default: success. @throws EngineError */
  readonly answer?: () => unknown;
}

/** Paths of errors start at the command, `$.args`. @throws EngineError */
export type Command = (metadata: Json, args: unknown) => Change;

/** A command with arguments of one form. */
export function command<Schema extends z.ZodType>(schema: Schema, change: (metadata: Json, args: z.output<Schema>) => Change): Command {
  return (metadata, args) => change(metadata, parseArguments(schema, args, "$.args"));
}

/** Hasura's `throw400`: every rejection of a command has the status 400, independent of its code. */
export function refusal(code: EngineErrorCode, message: string, path = "$.args", internal?: unknown): EngineError {
  return new EngineError({ code, message, path, status: 400, internal });
}

/** The command's source, default `default`. */
export const source = z.string().nullish().transform((name) => name ?? "default");
export const cascade = z.boolean().nullish().transform((value) => value ?? false);
export const comment = z.string().nullish();
export const object = z.record(z.string(), z.unknown());

/** Without the keys that have no value. */
export function present(values: Json): Json {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== null));
}
