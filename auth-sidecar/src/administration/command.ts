import { parseArgs } from "node:util";
import { applicationRoles } from "@routeql/contract/roles";
import type { Provider } from "../users.ts";

/** A command that cannot be executed; its message is one sentence for the operator. */
export class AdministrationError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "AdministrationError";
  }
}

export class UnknownCommand extends AdministrationError {
  readonly verb: string | undefined;

  constructor(message: string, verb?: string) {
    super(message);
    this.name = "UnknownCommand";
    this.verb = verb;
  }
}

export interface Verb {
  /** The words that follow it, with their names in the help. */
  readonly operands: readonly string[];
  /** Its options except --json and --help, with the name of their value. */
  readonly options: Readonly<Record<string, string>>;
  readonly meaning: string;
  /** Whether it reads a new password. */
  readonly password?: true;
}

export type Subject = "users" | "keys";

const account = { operands: ["ACCOUNT"], options: { provider: "PROVIDER" } } as const;

/** Every command by subject and verb. Help and error messages use this list. */
export const verbs: Readonly<Record<Subject, Readonly<Record<string, Verb>>>> = {
  users: {
    list: { operands: [], options: {}, meaning: "all accounts" },
    show: { ...account, meaning: "one account and its number of sessions" },
    add: {
      operands: ["EMAIL"],
      options: { role: "ROLE", name: "NAME", organisation: "ORG", "new-organisation": "ORG" },
      meaning: "a new account; asks for its password",
      password: true,
    },
    role: {
      operands: ["ACCOUNT", "ROLE"],
      options: { organisation: "ORG", "new-organisation": "ORG", ...account.options },
      meaning: "changes the role; a tenant needs an organisation",
    },
    disable: { ...account, meaning: "blocks logins; ends the sessions, tokens and connections" },
    enable: { ...account, meaning: "allows logins again" },
    password: { ...account, meaning: "a new password; asks for it and ends the sessions", password: true },
    sessions: { ...account, meaning: "the active sessions" },
    unlock: {
      operands: ["[ACCOUNT]"],
      options: account.options,
      meaning: "forgets failed logins, of all accounts and addresses without ACCOUNT",
    },
    directory: { operands: [], options: {}, meaning: "makes the searches of a login in the directory" },
    explain: { operands: ["NAME"], options: {}, meaning: "the role of a login name in the directory, and its reasons" },
    organisations: { operands: [], options: {}, meaning: "all organisations, with the number of their accounts" },
    "end-sessions": { ...account, meaning: "ends the sessions; issued tokens stay valid until they expire" },
  },
  keys: {
    list: { operands: [], options: {}, meaning: "the signing keys of tokens, with the state of each" },
    rotate: { operands: [], options: {}, meaning: "publishes a new key, which signs once every verifier has seen it" },
    retire: { operands: ["KEY"], options: {}, meaning: "withdraws a key at once, as after a leak" },
    "retire-unopened": { operands: [], options: {}, meaning: "withdraws keys of a stack with other secrets" },
  },
};

const optional = (option: string): boolean => option !== "role";

/** `add EMAIL --role ROLE [--name NAME] [--organisation ORG] …`. `--provider` is explained once, with the accounts. */
export function verbUsage(name: string, { operands, options }: Verb): string {
  const told = Object.entries(options).filter(([option]) => option !== "provider");
  const words = told.map(([option, value]) => (optional(option) ? `[--${option} ${value}]` : `--${option} ${value}`));
  return [name, ...operands, ...words].join(" ");
}

export function verbLines(subject: Subject, prefix = "  "): string {
  const rows = Object.entries(verbs[subject]).map(
    ([name, verb]) => [prefix + verbUsage(name, verb), verb.meaning] as const,
  );
  const width = Math.min(prefix.length + 28, Math.max(...rows.map(([left]) => left.length)) + 2);
  return rows
    .map(([left, meaning]) => (left.length < width ? left.padEnd(width) : `${left}\n${" ".repeat(width)}`) + meaning)
    .join("\n");
}

export const usage = `Usage: node auth-sidecar/src/administration/main.ts COMMAND

Accounts; ACCOUNT is an id or an e-mail address (add --provider ldap for accounts of the directory):
${verbLines("users", "  users ")}

Signing keys; KEY is an id from "keys list":
${verbLines("keys", "  keys ")}

Roles: ${applicationRoles.join(", ")}, and those of your own metadata.
--json prints JSON instead of tables. A new password comes from standard input, never from the command line or the environment.
`;

export interface CommandOptions {
  readonly name?: string | undefined;
  readonly role?: string | undefined;
  /** An organisation that exists. */
  readonly organisation?: string | undefined;
  readonly "new-organisation"?: string | undefined;
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
  "new-organisation": { type: "string" },
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
