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
