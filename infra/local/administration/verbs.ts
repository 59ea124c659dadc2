/** What one of the auth sidecar's administration commands takes and does, for the help text. */
export interface Verb {
  readonly operands?: string;
  readonly meaning: string;
  /** It asks for a new password. */
  readonly password?: true;
}

export type Subject = "users" | "keys";

/** The administration's commands, as auth-sidecar/src/administration/usage.ts has them. */
export const verbs: Readonly<Record<Subject, Readonly<Record<string, Verb>>>> = {
  users: {
    list: { meaning: "all accounts" },
    show: { operands: "ACCOUNT", meaning: "one account and how many sessions it has" },
    add: {
      operands: "EMAIL --role ROLE [--name NAME] [--organisation ORG]",
      meaning: "a new account; asks for its password",
      password: true,
    },
    role: { operands: "ACCOUNT ROLE [--organisation ORG]", meaning: "another role; a tenant needs an organisation" },
    disable: { operands: "ACCOUNT", meaning: "no login and no token any more; ends the sessions" },
    enable: { operands: "ACCOUNT", meaning: "takes that back" },
    password: { operands: "ACCOUNT", meaning: "a new password; asks for it and ends the sessions", password: true },
    sessions: { operands: "ACCOUNT", meaning: "the sessions that live" },
    "end-sessions": { operands: "ACCOUNT", meaning: "ends them; tokens that are out live on until they expire" },
  },
  keys: {
    list: { meaning: "the keys that sign tokens, and what each does now" },
    rotate: { meaning: "publishes a new key, which signs once every verifier has seen it" },
    retire: { operands: "KEY", meaning: "withdraws a key at once, as after a leak" },
  },
};

/** The commands of a subject as aligned lines. */
export function verbLines(subject: Subject): string {
  const rows = Object.entries(verbs[subject]).map(([verb, { operands, meaning }]) => [
    `  ${verb}${operands === undefined ? "" : ` ${operands}`}`,
    meaning,
  ]);
  const width = Math.min(30, Math.max(...rows.map(([left = ""]) => left.length)) + 2);
  return rows
    .map(([left = "", meaning]) => (left.length < width ? left.padEnd(width) : `${left}\n${" ".repeat(width)}`) + meaning)
    .join("\n");
}
