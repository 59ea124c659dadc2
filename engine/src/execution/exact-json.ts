interface RawJson {
  rawJSON(text: string): unknown;
  parse(text: string, reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown): unknown;
}

const json = JSON as unknown as RawJson;

/**
 * `JSON.parse` for requests: a number that JavaScript cannot hold exactly stays the text it was (`JSON.rawJSON`), which the engine
 * hands to Postgres as it is.
 * @throws SyntaxError
 */
export function parseExactJson(text: string): unknown {
  return json.parse(text, (_key, value, { source }) => (typeof value === "number" && source !== undefined && isInexact(value, source) ? json.rawJSON(source) : value));
}

function isInexact(value: number, source: string): boolean {
  return source.length > 15 && String(value) !== source;
}
