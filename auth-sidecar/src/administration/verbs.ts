/** Arguments and handler of one administration command. */
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
      options: { role: "ROLE", name: "NAME", organisation: "ORG" },
      meaning: "a new account; asks for its password",
      password: true,
    },
    role: {
      operands: ["ACCOUNT", "ROLE"],
      options: { organisation: "ORG", ...account.options },
      meaning: "changes the role; a tenant needs an organisation",
    },
    disable: { ...account, meaning: "blocks logins and tokens; ends the sessions" },
    enable: { ...account, meaning: "takes that back" },
    password: { ...account, meaning: "a new password; asks for it and ends the sessions", password: true },
    sessions: { ...account, meaning: "the active sessions" },
    "end-sessions": { ...account, meaning: "ends the sessions; issued tokens stay valid until they expire" },
  },
  keys: {
    list: { operands: [], options: {}, meaning: "the signing keys of tokens, with the state of each" },
    rotate: { operands: [], options: {}, meaning: "publishes a new key, which signs once every verifier has seen it" },
    retire: { operands: ["KEY"], options: {}, meaning: "withdraws a key at once, as after a leak" },
  },
};

const optional = (option: string): boolean => option !== "role";

/** `add EMAIL --role ROLE [--name NAME] [--organisation ORG]`. `--provider` is explained once, with the accounts. */
export function verbUsage(name: string, { operands, options }: Verb): string {
  const told = Object.entries(options).filter(([option]) => option !== "provider");
  const words = told.map(([option, value]) => (optional(option) ? `[--${option} ${value}]` : `--${option} ${value}`));
  return [name, ...operands, ...words].join(" ");
}

/** The commands of a subject as lines in two columns, each usage after `prefix`. */
export function verbLines(subject: Subject, prefix = "  "): string {
  const rows = Object.entries(verbs[subject]).map(
    ([name, verb]) => [prefix + verbUsage(name, verb), verb.meaning] as const,
  );
  const width = Math.min(prefix.length + 28, Math.max(...rows.map(([left]) => left.length)) + 2);
  return rows
    .map(([left, meaning]) => (left.length < width ? left.padEnd(width) : `${left}\n${" ".repeat(width)}`) + meaning)
    .join("\n");
}
