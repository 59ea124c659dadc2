import { parseArgs } from "node:util";
import type { Provider } from "../users/user.ts";
import { AdministrationError, UnknownCommand } from "./administration-error.ts";
import { type Subject, verbs, verbUsage } from "./verbs.ts";

export interface CommandOptions {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  readonly organisation?: string | undefined;
  readonly provider: Provider;
  readonly json: boolean;
  readonly help: boolean;
}

/** One parsed command line: `users role a@example.net viewer` has subject `users` and three words. */
export interface Command {
  /** Undefined for a request for help. */
  readonly subject: Subject | undefined;
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
const switches = {
  json: { type: "boolean", default: false },
  help: { type: "boolean", short: "h", default: false },
} as const;

/** @throws {AdministrationError} for an unknown command, word or option */
export function parseCommand(words: readonly string[], readPassword: () => Promise<string>): Command {
  const { values, positionals } = parsed(words);
  const { provider } = values;
  if (provider !== "local" && provider !== "ldap") throw new AdministrationError("--provider must be local or ldap");
  const [subject, ...rest] = positionals;
  const options: CommandOptions = { ...values, provider };
  if (options.help) return { subject: undefined, words: rest, options, readPassword };
  if (subject === undefined) throw new AdministrationError("which command? See --help");
  if (!isSubject(subject)) throw new AdministrationError(`${subject} is no command; see --help`);
  refuseSurplus(subject, rest, words);
  return { subject, words: rest, options, readPassword };
}

function parsed(words: readonly string[]) {
  try {
    return parseArgs({ args: [...words], options: { ...strings, ...switches }, allowPositionals: true });
  } catch (error) {
    if (error instanceof TypeError)
      throw new AdministrationError(error.message.replace(/\. To specify a positional.*$/s, ""));
    throw error;
  }
}

const isSubject = (word: string): word is Subject => Object.hasOwn(verbs, word);

function refuseSurplus(subject: Subject, [name, ...operands]: readonly string[], words: readonly string[]): void {
  if (name === undefined)
    throw new UnknownCommand(`which command? ${subject} has ${Object.keys(verbs[subject]).join(", ")}; see --help`);
  const verb = Object.hasOwn(verbs[subject], name) ? verbs[subject][name] : undefined;
  if (verb === undefined) throw new UnknownCommand(`${subject} ${name} is no command; see --help`, name);
  const surplus = operands[verb.operands.length];
  const refused = (what: string) => new AdministrationError(`${what}; usage: ${subject} ${verbUsage(name, verb)}`);
  if (surplus !== undefined) throw refused(`${surplus} is one word too many`);
  const { tokens } = parseArgs({
    args: [...words],
    options: { ...strings, ...switches },
    allowPositionals: true,
    tokens: true,
  });
  for (const token of tokens) {
    if (token.kind === "option" && !Object.hasOwn(switches, token.name) && !Object.hasOwn(verb.options, token.name))
      throw refused(`${subject} ${name} takes no --${token.name}`);
  }
}
