interface RawJson {
  rawJSON(text: string): unknown;
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
}

const json = JSON as unknown as RawJson;

/** Doubles are exact up to this many digits. */
const exactLength = 15;
/**
 * Matches numbers this long or with a three-digit exponent; only these can be inexact. The search takes a fifth of the time of a check of
 * each value.
 */
const doubtfulNumber = /[-+.\dEe]{16}|[Ee][-+]?\d{3}/;

/**
 * `JSON.parse` for requests: a number that JavaScript cannot represent exactly keeps its text (`JSON.rawJSON`), and the engine passes that
 * text to Postgres.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  const parsed: unknown = JSON.parse(text);
  if (!holdsNumber(parsed) || !doubtfulNumber.test(text)) return parsed;
  return json.parse(text, (_key, value, { source }) =>
    typeof value === "number" && source !== undefined && isInexact(value, source) ? json.rawJSON(source) : value,
  );
}

/** Most requests contain only a query. Iterative, because deep values would exhaust the stack. */
function holdsNumber(value: unknown): boolean {
  const values = [value];
  for (const each of values) {
    if (typeof each === "number") return true;
    if (typeof each === "object" && each !== null) for (const child of Object.values(each)) values.push(child);
  }
  return false;
}

function isInexact(value: number, source: string): boolean {
  return (
    !Number.isFinite(value) ||
    (source.length > exactLength && String(value) !== source) ||
    (value === 0 && /^[^Ee]*[1-9]/.test(source))
  );
}
