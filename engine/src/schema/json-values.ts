/** Values of a request as JSON, with their names in Hasura's messages. */

/** A value that does not match its type; the message names the expected type. */
export class UnfitValue extends Error {}

/** A JSON number, exact: numbers beyond a JavaScript number arrive as bigint or `JSON.rawJSON`. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : undefined;
  if (typeof value === "bigint") return value.toString();
  return rawText(value);
}

interface RawJson {
  readonly rawJSON: string;
}

const json = JSON as typeof JSON & { isRawJSON(value: unknown): value is RawJson };

/** Text of a `JSON.rawJSON` value. */
export function rawText(value: unknown): string | undefined {
  return json.isRawJSON(value) ? value.rawJSON : undefined;
}

/** The kind of a JSON value in Hasura's messages. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "a boolean";
  if (typeof value === "string") return "a string";
  if (Array.isArray(value)) return "a list";
  return typeof value === "number" || numberText(value) !== undefined ? "a number" : "an object";
}

const jsonKinds: Readonly<Record<string, string>> = {
  "a boolean": "Boolean",
  "a string": "String",
  "a list": "Array",
  "an object": "Object",
  "a number": "Number",
};

/** A parse error in the wording of Hasura's JSON parser. */
export function mismatch(reading: string | undefined, expected: string, value: unknown): UnfitValue {
  const failed = reading === undefined ? "" : `parsing ${reading} failed, `;
  return new UnfitValue(`${failed}expected ${expected}, but encountered ${jsonKind(value)}`);
}

/** The kind of a JSON value in messages of Hasura's JSON parser. */
export const jsonKind = (value: unknown): string => jsonKinds[kindOf(value)] ?? "Null";
