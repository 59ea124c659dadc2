import type { DatabaseType } from "../catalog/catalog.ts";

/** A value that does not fit its type; the message says what is expected. */
export class UnfitValue extends Error {}

/** Number as JSON has it, exactly: what does not fit into a JavaScript number comes as bigint or as `JSON.rawJSON`. */
function numberText(value: unknown): string | undefined {
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

/** JSON text of any value of a request, bigint included. */
export function jsonText(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => (typeof item === "bigint" ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(item.toString()) : item));
}

/** What a value is, as Hasura's messages name it. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (typeof value === "boolean") return "a boolean";
  if (typeof value === "string") return "a string";
  if (Array.isArray(value)) return "a list";
  const number = numberText(value);
  if (number !== undefined) return /^-?\d+$/.test(number) ? "an integer" : "a float";
  return "an object";
}

const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
};

function integerText(value: unknown, type: DatabaseType, range: readonly [bigint, bigint]): string {
  const number = numberText(value) ?? (typeof value === "string" && /^[+-]?\d+$/.test(value.trim()) ? value.trim() : undefined);
  const whole = number === undefined ? undefined : wholeNumber(number);
  if (whole === undefined || whole < range[0] || whole > range[1]) {
    const expected = type.name === "int4" ? "a 32-bit integer for type 'Int'" : `an integer for type '${type.name === "int2" ? "smallint" : "bigint"}'`;
    if (number !== undefined && typeof value !== "string" && type.name === "int4") {
      throw new UnfitValue(
        `The value ${number} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`,
      );
    }
    throw new UnfitValue(`expected ${expected}, but found ${kindOf(value)}`);
  }
  return whole.toString();
}

/** `1.0` and `1e3` are whole; `1.5` is not. */
function wholeNumber(text: string): bigint | undefined {
  if (/^[+-]?\d+$/.test(text)) return BigInt(text);
  const number = Number(text);
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

/** An array as Postgres reads it from text. */
export function arrayText(items: readonly (string | null)[]): string {
  return `{${items.map((item) => (item === null ? "NULL" : `"${item.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`)).join(",")}}`;
}

const label = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/;

/**
 * A value of a request or of metadata as Postgres' text of the type.
 * @throws UnfitValue
 */
export function toText(value: unknown, type: DatabaseType): string | null {
  if (value === null || value === undefined) return null;
  const { element } = type;
  if (element !== undefined) {
    if (typeof value === "string") return value;
    if (!Array.isArray(value)) throw new UnfitValue(`expected a list for type '[${element.name}]', but found ${kindOf(value)}`);
    return nestedArrayText(value, element);
  }
  if (type.name === "json" || type.name === "jsonb") return jsonText(value);
  const range = integerRanges[type.name];
  if (range !== undefined) return integerText(value, type, range);
  if (type.name === "bool") {
    if (typeof value !== "boolean") throw new UnfitValue(`expected a boolean for type 'Boolean', but found ${kindOf(value)}`);
    return String(value);
  }
  if (type.name === "float4" && numberText(value) === undefined) throw new UnfitValue(`expected a float for type 'Float', but found ${kindOf(value)}`);
  if ((type.name === "text" || type.name === "varchar") && typeof value !== "string") {
    throw new UnfitValue(`expected a string for type 'String', but found ${kindOf(value)}`);
  }
  if (type.name === "ltree" && (typeof value !== "string" || (value !== "" && !label.test(value)))) {
    throw new UnfitValue("Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3");
  }
  if (typeof value === "string") {
    if (value.includes("\0")) throw new UnfitValue("a string cannot hold the character NUL");
    return value;
  }
  if (typeof value === "boolean") return String(value);
  return numberText(value) ?? jsonText(value);
}

/** Lists inside of lists are further dimensions. */
function nestedArrayText(items: readonly unknown[], element: DatabaseType): string {
  if (items.some((item) => Array.isArray(item)) && element.name !== "json" && element.name !== "jsonb") {
    return `{${items.map((item) => (Array.isArray(item) ? nestedArrayText(item, element) : "NULL")).join(",")}}`;
  }
  return arrayText(items.map((item) => toText(item, element)));
}
