import type { QualifiedName } from "@routeql/metadata/read/shape";

/** Encloses a parameter's position until the statement's final text; no identifier or constant contains it. */
export const mark = "\u0001";

/** Quotes an identifier. */
export function identifier(name: string): string {
  return `"${name.replaceAll(mark, "").replaceAll('"', '""')}"`;
}

/** A string constant of the engine itself (names of types and keys); values of requests are always parameters. */
export function literal(text: string): string {
  return `'${text.replaceAll(mark, "").replaceAll("'", "''")}'`;
}

export function qualified({ schema, name }: QualifiedName): string {
  return `${identifier(schema)}.${identifier(name)}`;
}

/** Final text of a statement; by default parameters are `$1`, `$2`, … */
export function finalText(
  template: string,
  parameter: (position: number) => string = (position) => `$${position}`,
): string {
  return template
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : parameter(Number(part))))
    .join("");
}
