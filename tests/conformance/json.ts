/** A mapping of YAML or JSON whose form is not known. */
export type Json = Record<string, unknown>;

/** Whether the value is a mapping, and no list. */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value where it is a mapping, else an empty one. */
export function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}

/** Puts an item behind the others of a list, which comes into being with it. */
export function push(owner: Json, key: string, item: Json): void {
  owner[key] = [...((owner[key] as Json[] | undefined) ?? []), item];
}

/** Takes the items of a list away whose `by` has this value. @throws when there is none */
export function dropFrom(owner: Json, key: string, by: string, value: unknown): void {
  const before = (owner[key] as Json[] | undefined) ?? [];
  owner[key] = before.filter((item) => item[by] !== value);
  if ((owner[key] as Json[]).length === before.length) throw new Error(`there is no ${String(value)} among the ${key}`);
}
