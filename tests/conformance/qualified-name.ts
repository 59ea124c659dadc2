import { record } from "./json.ts";

export interface Qualified {
  readonly schema: string;
  readonly name: string;
}

/** A table's or function's name as Hasura's commands give it: alone, or with its schema. */
export function qualified(value: unknown): Qualified {
  if (typeof value === "string") return { schema: "public", name: value };
  const { schema, name } = record(value);
  return { schema: typeof schema === "string" ? schema : "public", name: String(name) };
}
