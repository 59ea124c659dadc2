/** Makes seeded choices, so that a run is repeatable. */
export type Choose = (below: number) => number;

export const shapes = [
  "aliases",
  "nesting",
  "fragments",
  "directives",
  "conditions",
  "related",
  "patterns",
  "orders",
  "introspection",
  "variables",
  "numbers",
  "strings",
  "aggregates",
  "refused",
] as const;
export const carriers = ["query", "batch", "socket", "subscriptions", "slow reader", "half-open", "http2"] as const;

/** An expensive request as numbers that can be mutated separately. */
export interface Genes {
  readonly shape: (typeof shapes)[number];
  readonly carrier: (typeof carriers)[number];
  /** Number of repetitions of the shape's element. */
  readonly width: number;
  /** Nesting depth. */
  readonly depth: number;
  /** Length of names and strings. */
  readonly length: number;
  /** Number of requests in one carrier. */
  readonly count: number;
  /** Makes the text new to every cache. */
  readonly salt: number;
}

const pick = <Item>(items: readonly Item[], choose: Choose): Item => items[choose(items.length)] as Item;
/** Logarithmic distribution: small numbers are as frequent as large ones. */
const size = (most: number, choose: Choose): number => Math.max(1, Math.floor(most ** (choose(1_001) / 1_000)));

export function anyGenes(choose: Choose): Genes {
  return {
    shape: pick(shapes, choose),
    carrier: pick(carriers, choose),
    width: size(4_000, choose),
    depth: size(60, choose),
    length: size(20_000, choose),
    count: size(60, choose),
    salt: choose(2 ** 30),
  };
}

/** The same request with one or two mutated numbers. */
export function mutated(genes: Genes, choose: Choose): Genes {
  const other = anyGenes(choose);
  const keys = ["shape", "carrier", "width", "depth", "length", "count"] as const;
  const [one, two] = [pick(keys, choose), pick(keys, choose)];
  const scaled = (value: number): number => Math.max(1, Math.round(value * (0.5 + choose(200) / 100)));
  const changed = { ...genes, [one]: other[one], salt: other.salt };
  return two === "shape" || two === "carrier" ? changed : { ...changed, [two]: scaled(changed[two]) };
}

const times = (count: number, text: (index: number) => string): string =>
  Array.from({ length: count }, (_item, index) => text(index)).join(" ");
const wrapped = (depth: number, open: string, inner: string, close: string): string =>
  open.repeat(depth) + inner + close.repeat(depth);

export interface Request {
  readonly query: string;
  readonly variables?: Readonly<Record<string, unknown>>;
}

/** The document of a request. `word` starts it: `query` or `subscription`. */
export function document({ shape, width, depth, length, salt }: Genes, word = "query"): Request {
  const name = `n${salt}`;
  const where = (condition: string, fields = "key"): string =>
    `${word} ${name} { view_hijacks(limit: 100, where: ${condition}) { ${fields} } }`;
  const related = '{update_links: {update: {prefix: {_neq: "192.0.2.0/24"}}}}';
  switch (shape) {
    case "aliases":
      return {
        query: `${word} ${name} { view_hijacks(limit: 100) { ${times(width, (index) => `${"a".repeat(Math.min(length, 1_000))}${index}: key`)} } }`,
      };
    case "nesting":
      return {
        query: `${word} ${name} { view_hijacks(limit: 100) { key ${wrapped(depth, "update_links(limit: 100) { hijack { ", times(width % 20, (index) => `a${index}: key`) || "key", " } }")} } }`,
      };
    case "fragments":
      return {
        query: `${word} ${name} { ...f0 } ${times(depth, (index) => `fragment f${index} on query_root { ${`...f${index + 1} `.repeat(1 + (width % 50))} }`)} fragment f${depth} on query_root { __typename }`,
      };
    case "directives":
      return {
        query: `${word} ${name} { view_hijacks(limit: 1) { key ${"...f ".repeat(1 + (width % 400))} } } fragment f on view_hijacks { ${times(Math.min(length, 6_000), () => "key @skip(if: true)")} }`,
      };
    case "conditions":
      return {
        query: where(
          `{_or: [${times(width, (index) => wrapped(depth % 20, "{_not: ", `{key: {_eq: "${index}"}}`, "}"))}]}`,
        ),
      };
    case "related":
      return {
        query: where(
          `{_and: [${times(width % 250, () => wrapped(depth % 8, "{update_links: {hijack: ", related, "}}"))}]}`,
        ),
      };
    case "patterns":
      return {
        query: where(
          `{_or: [${times(width % 200, (index) => `{key: {${["_regex", "_similar", "_ilike"][index % 3] ?? ""}: "${"(.+)".repeat(depth % 12)}${"%".repeat(length % 50)}${index}"}}`)}]}`,
        ),
      };
    case "orders":
      return {
        query: `${word} ${name} { view_hijacks(limit: 100, order_by: [${times(width % 400, () => "{update_links_aggregate: {count: asc}}")}]) { key } }`,
      };
    case "introspection":
      return {
        query: `${word} ${name} { __schema { types { ${"name ".repeat(1 + (width % 50))} fields { args { type { inputFields { type { ${depth > 20 ? "inputFields { name }" : "name"} ${times(width % 480, (index) => `a${index}: name`)} } } } } } } } }`,
      };
    case "variables": {
      const values = Array.from({ length: Math.min(length, 20_000) }, (_item, index) => String(index));
      return {
        query: `${word} ${name}($w: view_hijacks_bool_exp) { ${times(1 + (width % 400), (index) => `a${index}: view_hijacks(limit: 1, where: $w) { key }`)} }`,
        variables: { w: wrapObject(depth % 40, { key: { _in: values } }) },
      };
    }
    case "numbers": {
      // One number that JavaScript cannot hold, among many others.
      const values = [...Array.from({ length: Math.min(length * (1 + (depth % 6)), 120_000) }, () => 0), long];
      return {
        query: `${word} ${name}($w: view_hijacks_bool_exp) { ${times(1 + (width % 400), (index) => `a${index}: view_hijacks(limit: 1, where: $w) { key }`)} }`,
        variables: { w: { key: { _in: values } } },
      };
    }
    case "strings":
      return {
        query: `${word} ${name}($s: String) { view_hijacks(limit: 1, where: {_or: [${times(width % 1_000, () => "{key: {_eq: $s}}")}]}) { key } }`,
        variables: { s: '\\"'.repeat(Math.min(length, 10_000) * (1 + (depth % 6))) },
      };
    case "aggregates":
      return {
        query: `${word} ${name} { view_hijacks(limit: 100, where: {_or: [${times(width % 60, () => `{update_links_aggregate: {count: {predicate: {_gt: ${depth}}}}}`)}]}) { key } }`,
      };
    default:
      return { query: `{ ${name} ${"a ".repeat(width)} "${'\\"'.repeat(length)}` };
  }
}

const long = (JSON as unknown as { rawJSON(text: string): unknown }).rawJSON("12345678901234567890");

function wrapObject(depth: number, inner: unknown): unknown {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = { _and: [value] };
  return value;
}
