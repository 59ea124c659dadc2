/** Object keys and array indexes from the root. */
export type JsonPath = readonly (string | number)[];

const step = /\.([A-Za-z0-9_-]+)|\[(\d+)\]|\['([^']*)'\]|\["([^"]*)"\]/y;

/**
 * Parses `$.a.b`, `$['https://a.example/claims'].roles[0]` and the like: Hasura's JSONPath, which has no wildcards or filters.
 * @throws Error that quotes the invalid text.
 */
export function parseJsonPath(text: string): JsonPath {
  const rest = text.startsWith("$") ? text.slice(1) : `.${text}`;
  const path: (string | number)[] = [];
  step.lastIndex = 0;
  while (step.lastIndex < rest.length) {
    const start = step.lastIndex;
    const match = step.exec(rest);
    if (match === null) throw new Error(`not a JSON path at "${rest.slice(start)}"`);
    const [, key, index, single, double] = match;
    path.push(index === undefined ? (key ?? single ?? double ?? "") : Number(index));
  }
  return path;
}

/** The value at the path; undefined when the path does not exist. Inherited properties do not count. */
export function valueAtPath(root: unknown, path: JsonPath): unknown {
  let value = root;
  for (const key of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, key)) return undefined;
    value = (value as Record<string | number, unknown>)[key];
  }
  return value;
}
