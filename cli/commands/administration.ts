import { Readable } from "node:stream";
import {
  AdministrationError,
  parseCommand,
  type Subject,
  UnknownCommand,
  verbLines,
  verbs,
} from "@routeql/auth-sidecar/administration/command";
import { readNewPassword } from "@routeql/auth-sidecar/administration/read-password";
import { applicationRoles, isRoleName } from "@routeql/contract/roles";
import { explain, Failure } from "@routeql/host/failure";
import { ownOutputs } from "@routeql/host/program-streams";
import { nearest } from "@routeql/metadata/nearest";
import { explainable } from "./run-command.ts";
import type { Command } from "../foundation/command.ts";
import { inSidecar } from "../stack/in-sidecar.ts";

export const users = administrationCommand("users", "Manages the accounts of a running stack.", [
  "ACCOUNT is an e-mail address or an id; --provider ldap selects the accounts of the directory.\n" +
    `ROLE is ${applicationRoles.join(", ")}, or one of your own metadata. docs/reference/permissions.md describes the roles.`,
  "A password comes only from a prompt without echo or from standard input:\n" +
    "  npm run --silent users -- add a@example.net --role viewer <password.txt",
]);

export const keys = administrationCommand("keys", "Manages the keys that sign the tokens of a running stack.", [
  "KEY is an id of `npm run keys -- list`. docs/operate/users.md explains when to rotate and when to retire a key.",
]);

/** Whether a command needs a new password. An invalid command line fails before the prompt. @throws Failure */
export function asksForPassword(subject: Subject, words: readonly string[]): boolean {
  const refused = (what: string, hint = ""): Failure =>
    new Failure(`${subject}: ${what}`, { remedy: `${hint}\`npm run ${subject} -- --help\` lists its options.` });
  const known = verbs[subject];
  try {
    const { words: found, options } = parseCommand([subject, ...words], readNewPassword);
    const [name = "", account] = found;
    return (
      known[name]?.password === true && account !== undefined && (name !== "add" || isRoleName(options.role ?? ""))
    );
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
  return inSidecar(stack, [subject, ...words], async () => ({
    ...ownOutputs,
    // This process prompts, because the program in the container has no terminal and its two outputs must stay separate.
    input: asks ? Readable.from([Buffer.from(`${await readNewPassword()}\n`)]) : undefined,
  }));
}

/** Ctrl-C or Ctrl-D at the prompt. */
const isAbandonedPrompt = (error: unknown): boolean => error instanceof Error && error.name === "AbortError";

/** `npm run users` and `npm run keys`: runs the administration program of the auth sidecar inside its container. */
function administrationCommand(subject: Subject, summary: string, notes: readonly string[]): Command {
  return {
    description: {
      name: subject,
      summary,
      operands: "COMMAND …",
      options: { json: { type: "boolean", meaning: "print JSON instead of tables" } },
      passesOn: true,
      notes: [`Commands:\n${verbLines(subject)}`, ...notes],
    },
    onInterrupt: "own",
    endsWithOutput: true,
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
