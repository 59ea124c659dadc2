/** A mapping of YAML or JSON with unknown keys. */
export type Json = Record<string, unknown>;

/** Whether the value is a mapping (not a list). */
export function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The value if it is a mapping, otherwise an empty one. */
export function record(value: unknown): Json {
  return typeof value === "object" && value !== null ? (value as Json) : {};
}
