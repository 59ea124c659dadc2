import { Readable } from "node:stream";
import { AdministrationError, UnknownCommand } from "@routeql/auth-sidecar/administration/administration-error";
import { parseCommand } from "@routeql/auth-sidecar/administration/command";
import { readNewPassword } from "@routeql/auth-sidecar/administration/read-password";
import { type Subject, verbLines, verbs } from "@routeql/auth-sidecar/administration/verbs";
import { isApplicationRole } from "@routeql/contract/roles";
import { nearest } from "@routeql/infra/settings/nearest";
import { execute } from "@routeql/host/docker/execute";
import type { Command } from "../foundation/command.ts";
import { explain, Failure } from "@routeql/host/failure";
import { ownOutputs } from "@routeql/host/program-streams";
import { explainable } from "../commands/options.ts";
import { executeInSidecar } from "../kubernetes/administer.ts";
import { placeOf } from "../kubernetes/place.ts";
import { requireOwn } from "../stack/ownership.ts";
import { sidecarContainer } from "./sidecar-container.ts";

/** Program inside the image of the auth sidecar. */
const program = ["node", "auth-sidecar/src/administration/main.ts"] as const;

/**
 * Whether a command needs a new password. Validates the command line first, so that an invalid one fails before the prompt.
 * @throws Failure for an unknown command or option
 */
export function asksForPassword(subject: Subject, words: readonly string[]): boolean {
  const refused = (what: string, hint = ""): Failure =>
    new Failure(`${subject}: ${what}`, { remedy: `${hint}\`npm run ${subject} -- --help\` lists its options.` });
  const known = verbs[subject];
  try {
    const { words: found, options } = parseCommand([subject, ...words], readNewPassword);
    const [name = "", account] = found;
    return known[name]?.password === true && account !== undefined && (name !== "add" || isApplicationRole(options.role ?? ""));
  } catch (error) {
    if (error instanceof UnknownCommand) {
      const { verb } = error;
      if (verb === undefined) throw refused(`which command? One of ${Object.keys(known).join(", ")}`);
      const guess = nearest(verb, Object.keys(known));
      throw refused(`unknown command ${verb}`, guess === undefined ? "" : `did you mean ${guess}? `);
    }
    throw error instanceof AdministrationError ? refused(error.message.replace(/^Unknown/, "unknown")) : error;
  }
}

async function administer(stack: string, subject: Subject, words: readonly string[]): Promise<number> {
  const asks = asksForPassword(subject, words);
  const place = await placeOf(stack);
  if (!place) await requireOwn(stack);
  const container = place ? undefined : await sidecarContainer(stack);
  // This process prompts, because the program in the container has no terminal and its two outputs must stay separate.
  const input = asks ? Readable.from([Buffer.from(`${await readNewPassword()}\n`)]) : undefined;
  const streams = { ...ownOutputs, input };
  const command = [...program, subject, ...words];
  return container ? execute(container, command, streams) : executeInSidecar(place!, stack, command, streams);
}

/** Ctrl-C or Ctrl-D at the prompt. */
const isAbandonedPrompt = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** `npm run users` and `npm run keys`: runs the administration program of the auth sidecar inside its container. */
export function administrationCommand(subject: Subject, summary: string, notes: readonly string[]): Command {
  return {
    description: {
      name: subject,
      summary,
      operands: "COMMAND …",
      options: { json: { type: "boolean", meaning: "print JSON instead of tables" } },
      passesOn: true,
      notes: [`Commands:\n${verbLines(subject)}`, ...notes],
    },
    async run(stack, args) {
      const words = args.flag("json") ? [...args.rest, "--json"] : args.rest;
      try {
        return await administer(stack, subject, words);
      } catch (error) {
        if (isAbandonedPrompt(error)) {
          console.error("\nNothing was changed.");
          return 130;
        }
        console.error(error instanceof AdministrationError ? error.message : `\n${explain(explainable(error))}`);
        return 1;
      }
    },
  };
}
