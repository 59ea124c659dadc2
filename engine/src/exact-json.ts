interface RawJson {
  rawJSON(text: string): unknown;
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
}

const json = JSON as unknown as RawJson;

/** Digits of a double that are always exact. */
const exactLength = 15;
/** Where no number is this long, or has an exponent of three digits, none can be inexact; looking for one takes a fifth of the time that looking at each value does. */
const doubtfulNumber = /[-+.\dEe]{16}|[Ee][-+]?\d{3}/;

/**
 * `JSON.parse` for requests: a number that JavaScript cannot hold exactly stays the text it was (`JSON.rawJSON`), which the engine
 * hands to Postgres as it is.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!holdsNumber(parsed) || !doubtfulNumber.test(text)) return parsed;
  return json.parse(text, (_key, value, { source }) => (typeof value === "number" && source !== undefined && isInexact(value, source) ? json.rawJSON(source) : value));
}

/** Most requests are a query and nothing else. Without calling itself, which deep values would stop. */
function holdsNumber(value: unknown): boolean {
  const values = [value];
  for (const each of values) {
    if (typeof each === "number") return true;
    if (typeof each === "object" && each !== null) for (const child of Object.values(each)) values.push(child);
  }
  return false;
}

function isInexact(value: number, source: string): boolean {
  return !Number.isFinite(value) || (source.length > exactLength && String(value) !== source) || (value === 0 && /^[^Ee]*[1-9]/.test(source));
}
