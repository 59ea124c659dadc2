import { record } from "./json.ts";

export interface Qualified {
  readonly schema: string;
  readonly name: string;
}

/** Name of a table or function in Hasura's commands: alone, or with its schema. */
export function qualified(value: unknown): Qualified {
  if (typeof value === "string") return { schema: "public", name: value };
  const { schema, name } = record(value);
  return { schema: typeof schema === "string" ? schema : "public", name: String(name) };
}
