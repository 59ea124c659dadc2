/** SQL as a type: text of the tag `sql`, identifiers, literals, numbers, parameters, and `trusted` texts. No string becomes a statement. */
import type { QualifiedName } from "@routeql/metadata/read/shape";

declare const brand: unique symbol;
export type Sql = string & { readonly [brand]: "sql" };

/** Encloses a parameter's position until the statement's final text; no identifier, constant or trusted text contains it. */
const mark = "\u0001";

const unmarked = (text: string): string => text.replaceAll(mark, "");

export function sql(texts: TemplateStringsArray, ...pieces: readonly Sql[]): Sql {
  let text = texts[0] ?? "";
  for (let index = 0; index < pieces.length; index += 1) text += `${pieces[index]}${texts[index + 1]}`;
  return text as Sql;
}

export const nothing = sql``;

export function joined(items: readonly Sql[], separator: Sql): Sql {
  return items.join(separator) as Sql;
}

export const listed = (items: readonly Sql[]): Sql => joined(items, sql`, `);

export function identifier(name: string): Sql {
  return `"${unmarked(name).replaceAll('"', '""')}"` as Sql;
}

export const qualified = ({ schema, name }: QualifiedName): Sql => sql`${identifier(schema)}.${identifier(name)}`;

/** A string constant of the engine itself (names of types and keys); values of requests are always parameters. */
export function literal(text: string): Sql {
  return `'${unmarked(text).replaceAll("'", "''")}'` as Sql;
}

/** A number with any number of digits. */
export function integer(digits: string): Sql {
  if (!/^-?\d+$/.test(digits)) throw new TypeError(`${digits} is not an integer`);
  return digits as Sql;
}

/** SQL that metadata or the catalog contains: types, operators and the code of native queries. Never a text of a request. */
export const trusted = (text: string): Sql => unmarked(text) as Sql;

/** A parameter of a template by its position, from 1 on. */
export const place = (position: number): Sql => `${mark}${position}${mark}` as Sql;

/** Final text of a statement; by default parameters are `$1`, `$2`, … */
export function finalText(template: Sql, parameter: (position: number) => Sql = argument): Sql {
  return template
    .split(mark)
    .map((part, index) => (index % 2 === 0 ? part : parameter(Number(part))))
    .join("") as Sql;
}

/** A parameter of a final text. */
export const argument = (position: number): Sql => sql`$${integer(String(position))}`;
