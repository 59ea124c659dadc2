import type { DatabaseType } from "@routeql/metadata/catalog/catalog";
import { geoJson } from "./geo-json.ts";
import { mismatch, numberText, UnfitValue } from "./json-values.ts";

/** JSON text of any value of a request, bigint included. A replacer costs ten times as much, and a value from JSON needs none. */
export function jsonText(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
  return JSON.stringify(value, (_key, item: unknown) =>
    typeof item === "bigint" ? (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON(item.toString()) : item,
  );
}

const integerRanges: Readonly<Record<string, readonly [bigint, bigint]>> = {
  int2: [-(2n ** 15n), 2n ** 15n - 1n],
  int4: [-(2n ** 31n), 2n ** 31n - 1n],
  int8: [-(2n ** 63n), 2n ** 63n - 1n],
};

/** Names of number types in Hasura's messages. */
const calledTypes: Readonly<Record<string, string>> = {
  int2: "PGSmallInt",
  int4: "PGInteger",
  int8: "PGBigInt",
  float4: "PGFloat",
  float8: "PGDouble",
};

/** A JSON number as `sign`, its `digits` without outer zeros, and the place of the decimal `point` in them; undefined for other text. */
function decimal(number: string): { sign: string; digits: string; point: number } | undefined {
  const [, sign = "", whole = "", fraction = "", power = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(number) ?? [];
  if (whole === "") return undefined;
  const leading = /^0*/.exec(whole + fraction)?.[0].length ?? 0;
  const all = whole + fraction;
  // Not by a pattern: it would scan each run of zeros once for each of its zeros.
  let end = all.length;
  while (end > leading && all[end - 1] === "0") end -= 1;
  return { sign, digits: all.slice(leading, end), point: whole.length - leading + Number(power) };
}

/** A number as Hasura prints it in messages and in values of the type numeric: `1.5`, `300.0`, `2.147483648e9`. */
export function scientific(number: string): string {
  const parts = decimal(number);
  if (parts === undefined) return number;
  const { sign, digits, point } = parts;
  if (digits === "") return `${sign}0.0`;
  if (point < 0 || point > 7) return `${sign}${digits[0]}.${digits.slice(1) || "0"}e${String(point - 1)}`;
  return `${sign}${digits.slice(0, point).padEnd(point, "0") || "0"}.${digits.slice(point) || "0"}`;
}

/** Digits of a number with an exponent that are written out for the type money, to which all of these numbers are too large. */
const longestMoney = 1_000;

/** A number as Hasura prints values of the type money, which Postgres reads without an exponent only: with two decimals. */
function moneyText(number: string): string {
  const parts = decimal(number);
  if (parts === undefined || Math.abs(parts.point) > longestMoney) return scientific(number);
  const { sign, digits, point } = parts;
  const kept = Math.max(point + 2, 0);
  const up = point + 2 >= 0 && Number(digits[kept] ?? 0) >= 5 ? 1n : 0n;
  const cents = String(BigInt(digits.slice(0, kept).padEnd(kept, "0") || "0") + up).padStart(3, "0");
  return `${sign}${cents.slice(0, -2)}.${cents.slice(-2)}`;
}

/** A number within its type's range: not too large, and not too small unless it is zero. */
function floatText(number: string, isHeld: (value: number) => number): string {
  const held = isHeld(Number(number));
  if (Number.isFinite(held) && (held !== 0 || !/^[^eE]*[1-9]/.test(number))) return number;
  throw new UnfitValue(`The value ${scientific(number)} lies outside the bounds. Is it overflowing the float bounds?`);
}

/** Checks in Hasura's order: the number is whole and within the type's bounds. */
function integerText(number: string, range: readonly [bigint, bigint]): string {
  const whole = wholeNumber(number);
  if (whole !== undefined && whole >= range[0] && whole <= range[1]) return whole.toString();
  throw new UnfitValue(
    `The value ${scientific(number)} lies outside the bounds or is not an integer. Maybe it is a float, or is there integer overflow?`,
  );
}

const longestWhole = 400;

/** `1.0` and `1e3` are whole; `1.5` is not. */
function wholeNumber(text: string): bigint | undefined {
  // Longer ones are out of range for every type, and converting them takes more than linear time.
  if (text.length > longestWhole) return undefined;
  if (/^[+-]?\d+$/.test(text)) return BigInt(text);
  const number = Number(text);
  return Number.isSafeInteger(number) ? BigInt(number) : undefined;
}

/** An array in Postgres' text notation. */
export function arrayText(items: readonly (string | null)[]): string {
  return `{${items.map((item) => (item === null ? "NULL" : `"${/["\\]/.test(item) ? item.replaceAll(/["\\]/g, "\\$&") : item}"`)).join(",")}}`;
}

/** Types that Hasura reads only from a string, with their names. */
const fromText: Readonly<Record<string, string>> = {
  text: "Text",
  varchar: "Text",
  bpchar: "Char",
  citext: "Text",
  date: "Day",
  timestamp: "LocalTime",
  timestamptz: "UTCTime",
  uuid: "UUID",
  lquery: "Text",
  ltxtquery: "Text",
  unknown: "Text",
};
const fromNumber: ReadonlySet<string> = new Set(["numeric", "money"]);
const floats: Readonly<Record<string, (value: number) => number>> = { float4: Math.fround, float8: Number };

const jsonbItem: DatabaseType = { name: "jsonb", sql: "jsonb", kind: "base" };

/** Type of an item of a list. Hasura sends an item of type jsonb with a byte that Postgres rejects, except a string that is no JSON text. */
export function itemOf(element: DatabaseType): DatabaseType {
  return element.element === undefined && element.name === "jsonb" ? jsonbItem : element;
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** A request's value as Postgres' text of the type. Every type accepts a string, which Postgres parses. @throws UnfitValue */
export function toText(value: unknown, type: DatabaseType): string | null {
  if (value === null || value === undefined) return null;
  const { element, name } = type;
  if (type === jsonbItem)
    return typeof value === "string" && !isJsonText(value) ? jsonText(value) : `u0001${jsonText(value)}`;
  if (element === undefined && (name === "json" || name === "jsonb")) return jsonText(value);
  if (typeof value === "string") return stringText(value, name);
  if (element !== undefined) {
    if (!Array.isArray(value)) throw mismatch("[]", "Array", value);
    return listText(
      value.map((item) => toText(item, itemOf(element))),
      element,
      value,
    );
  }
  const number = numberText(value);
  const range = integerRanges[name];
  if (range !== undefined) {
    if (number === undefined)
      throw mismatch(`Integer expected for input type: ${calledTypes[name] ?? name}`, "Number", value);
    return integerText(number, range);
  }
  const isHeld = floats[name];
  if (isHeld !== undefined) {
    if (number === undefined)
      throw mismatch(`Float expected for input type: ${calledTypes[name] ?? name}`, "Number", value);
    return floatText(number, isHeld);
  }
  if (fromNumber.has(name)) {
    if (number === undefined) throw mismatch("Scientific", "Number", value);
    return name === "money" ? moneyText(number) : scientific(number);
  }
  if (name === "bool") {
    if (typeof value !== "boolean") throw mismatch(undefined, "Bool", value);
    return String(value);
  }
  if (name === "geometry" || name === "geography") return jsonText(geoJson(value));
  if (name === "ltree") throw new UnfitValue(labelPath);
  if (name === "raster") throw new UnfitValue("expecting String for raster");
  if (name === "timetz") throw new UnfitValue("Expecting a string for timetz");
  const reading = fromText[name];
  if (reading !== undefined) throw mismatch(reading, "String", value);
  throw new UnfitValue(`A string is expected for type: ${name}`);
}

const labelPath = "Expecting label path: a sequence of zero or more labels separated by dots, for example L1.L2.L3";

function stringText(value: string, type: string): string {
  if (value.includes("\0")) throw new UnfitValue("a string cannot hold the character NUL");
  if (type === "ltree" && value.split(".").includes("")) throw new UnfitValue(labelPath);
  if (type === "raster" && !/^(?:[\da-f]{2})*$/i.test(value))
    throw new UnfitValue("invalid hexadecimal representation of raster well known binary format");
  return value;
}

const unquoted: ReadonlySet<string> = new Set([
  ...Object.keys(integerRanges),
  "float4",
  "float8",
  "numeric",
  "bool",
  "uuid",
  "date",
  "timestamp",
  "timestamptz",
  "timetz",
]);

/**
 * Texts of an element's type as an array; as in Hasura, numbers, times and similar values have no quotes unless necessary, and GeoJSON and label paths none
 * at all.
 * @param given the request's values, whose strings are no GeoJSON
 */
export function listText(items: readonly (string | null)[], element: DatabaseType, given: readonly unknown[]): string {
  if (element.name === "geometry" || element.name === "geography")
    return `{${items.map((text, index) => (typeof given[index] === "string" ? arrayText([text]).slice(1, -1) : text)).join(",")}}`;
  if (element.name === "ltree") return `{${items.map((text) => text ?? "null").join(",")}}`;
  const isPlain =
    unquoted.has(element.name) &&
    items.every((text) => text === null || (/^[\w:.+-]+$/.test(text) && !/^null$/i.test(text)));
  return isPlain ? `{${items.map((text) => text ?? "NULL").join(",")}}` : arrayText(items);
}
