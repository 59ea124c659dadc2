/** The value of a plain text (without quotes) in YAML, as gopkg.in/yaml.v3 resolves it. */

const words = new Map<string, unknown>([
  ...["", "~", "null", "Null", "NULL"].map((word) => [word, null] as const),
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
  ...[".nan", ".NaN", ".NAN"].map((word) => [word, Number.NaN] as const),
  ...[".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"].map((word) => [word, Infinity] as const),
  ...["-.inf", "-.Inf", "-.INF"].map((word) => [word, -Infinity] as const),
]);

const decimal = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/;

/** Go's strconv.ParseInt with base 0, after underscores are removed: 0x, 0o or a leading 0, 0b. */
const based: readonly (readonly [pattern: RegExp, base: number])[] = [
  [/^([-+]?)0[xX]([0-9a-fA-F]+)$/, 16],
  [/^([-+]?)0[oO]?([0-7]+)$/, 8],
  [/^([-+]?)0[bB]([01]+)$/, 2],
];

const date = /^(\d{4})-(\d{1,2})-(\d{1,2})$/;
const moment =
  /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[Tt]| )(\d{1,2}):(\d{1,2}):(\d{1,2})(?:[.,](\d{1,9}))?(Z|[-+]\d{2}:\d{2})?$/;

const padded = (text: string | undefined): string => (text ?? "").padStart(2, "0");

/** Go prints a time as RFC 3339 with the fraction's trailing zeros removed. */
function timestamp(text: string): string | undefined {
  const day = date.exec(text);
  const [, year, month, dayOfMonth, hour, minute, second, fraction = "", zone = "Z"] =
    day === null ? (moment.exec(text) ?? []) : [...day, "00", "00", "00"];
  if (year === undefined || (text.includes(" ") && /(Z|[-+]\d{2}:\d{2})$/.test(text.slice(11)))) return undefined;
  const shown = fraction.replace(/0+$/, "");
  const written = `${year}-${padded(month)}-${padded(dayOfMonth)}T${padded(hour)}:${padded(minute)}:${padded(second)}`;
  const checked = new Date(`${written}Z`);
  if (Number.isNaN(checked.getTime()) || !checked.toISOString().startsWith(written)) return undefined;
  return `${written}${shown === "" ? "" : `.${shown}`}${/^[-+]00:00$/.test(zone) ? "Z" : zone}`;
}

/** @param text of a plain scalar, with folded lines */
export function plainValue(text: string): unknown {
  if (words.has(text)) return words.get(text);
  if (/^\.[0-9]/.test(text)) return decimal.test(text) ? Number(text) : text;
  if (!/^[-+0-9]/.test(text)) return text;
  const time = timestamp(text);
  if (time !== undefined) return time;
  const plain = text.replaceAll("_", "");
  for (const [pattern, base] of based) {
    const [, sign, digits] = pattern.exec(plain) ?? [];
    if (digits !== undefined) return Number.parseInt(digits, base) * (sign === "-" ? -1 : 1) + 0;
  }
  return decimal.test(plain) ? Number(plain) + 0 : text;
}

/** Types that a value may name, with their usual spelling. */
export const typeNames: ReadonlyMap<string, string> = new Map(
  ["str", "int", "float", "bool", "null", "binary", "timestamp"].map((name) => [
    `tag:yaml.org,2002:${name}`,
    `!!${name}`,
  ]),
);

const isOfType: Readonly<Record<string, (value: unknown) => boolean>> = {
  "!!int": Number.isInteger,
  "!!float": Number.isFinite,
  "!!bool": (value) => typeof value === "boolean",
  "!!null": (value) => value === null,
};

/** As Go reads it: padded, with any line ends. */
const base64 = /^\n*(?:(?:[A-Za-z0-9+/]\n*){4})*(?:(?:[A-Za-z0-9+/]\n*){2}=\n*=\n*|(?:[A-Za-z0-9+/]\n*){3}=\n*)?$/;

/** Values of each type, in words. */
export const examples: Readonly<Record<string, string>> = {
  "!!int": "a whole number",
  "!!float": "a number",
  "!!bool": "true or false",
  "!!null": "null",
  "!!binary": "base64",
  "!!timestamp": "a time such as 2024-01-31",
};

/** The value of a text whose type is written before it, such as `!!int '12'`; undefined if it is not of this type. */
export function typedValue(tag: string, text: string): unknown {
  const name = typeNames.get(tag) ?? tag;
  if (name === "!!str") return text;
  if (name === "!!binary") return base64.test(text) ? Buffer.from(text, "base64").toString("utf8") : undefined;
  if (name === "!!timestamp") return timestamp(text);
  const value = plainValue(text);
  return isOfType[name]?.(value) === true ? value : undefined;
}

/** The integer of a text, exactly; undefined for other texts, also those with a fraction or an exponent. */
function exactInteger(text: string): bigint | undefined {
  const [, sign, digits = ""] =
    /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO]?[0-7]+|0[bB][01]+|[0-9]+)$/.exec(text.replaceAll("_", "")) ?? [];
  if (digits === "") return undefined;
  const value = BigInt(digits.replace(/^0[oO]?(?=[0-7]+$)/, "0o"));
  return sign === "-" ? -value : value;
}

/** Whether a double rounds an integer, which Hasura's CLI keeps up to 64 bits. It rounds fractions too. */
export function isRounded(text: string, value: unknown): boolean {
  if (typeof value !== "number" || !Number.isInteger(value)) return false;
  const exact = exactInteger(text);
  return exact !== undefined && exact !== BigInt(value);
}
