import { parseArgs } from "node:util";
import type { Provider } from "../users/user.ts";
import { AdministrationError } from "./administration-error.ts";

export interface CommandOptions {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly organisation?: string | undefined;
  readonly provider: Provider;
  readonly json: boolean;
  readonly help: boolean;
}

/** One command line, taken apart: `users role a@example.net viewer` has subject `users` and three words. */
export interface Command {
  readonly subject: string | undefined;
  readonly words: readonly string[];
  readonly options: CommandOptions;
  readonly readPassword: () => Promise<string>;
}

const strings = {
  name: { type: "string" },
  role: { type: "string" },
  organisation: { type: "string" },
  provider: { type: "string", default: "local" },
} as const;
const switches = { json: { type: "boolean", default: false }, help: { type: "boolean", short: "h", default: false } } as const;

/** @throws {AdministrationError} for an option that there is not, or one without its value */
export function parseCommand(words: readonly string[], readPassword: () => Promise<string>): Command {
  try {
    const { values, positionals } = parseArgs({ args: [...words], options: { ...strings, ...switches }, allowPositionals: true });
    const { provider } = values;
    if (provider !== "local" && provider !== "ldap") throw new AdministrationError("--provider must be local or ldap");
    const [subject, ...rest] = positionals;
    return { subject, words: rest, options: { ...values, provider }, readPassword };
  } catch (error) {
    if (error instanceof TypeError) throw new AdministrationError(error.message.replace(/\. To specify a positional.*$/s, ""));
    throw error;
  }
}
