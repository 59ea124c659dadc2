import { sessionVariable } from "@routeql/metadata/filter-names";
import type { CatalogTable } from "@routeql/metadata/catalog/catalog";
import type { MergedPath } from "@routeql/metadata/read/load";
import { isFields, listOf } from "../metadata/conditions.ts";
import { catalogAt, grantsOf } from "../metadata/walk.ts";
import type { Found, Rule } from "./rule.ts";

const whole = /^\s*[+-]?\d+\s*$/;

/** Texts that Postgres reads, by type. */
const readable: Readonly<Record<string, RegExp>> = {
  int2: whole,
  int4: whole,
  int8: whole,
  bool: /^\s*(?:t|true|f|false|y|yes|n|no|on|off|1|0)\s*$/i,
  uuid: /^\{?[\da-f]{4}(?:-?[\da-f]{4}){7}\}?$/i,
};

interface Text {
  readonly text: string;
  readonly column: string;
  readonly at: MergedPath;
}

const compared = /^[_$](?:eq|neq|gte?|lte?|in|nin)$/;

/** Texts that a condition compares with columns of its table and that Postgres cannot read. */
function textsIn(condition: unknown, table: CatalogTable, at: MergedPath): readonly Text[] {
  if (!isFields(condition)) return [];
  return Object.entries(condition).flatMap(([key, value]): readonly Text[] => {
    if (/^[_$](?:and|or|not)$/.test(key))
      return listOf(value).flatMap((item, index) =>
        textsIn(item, table, Array.isArray(value) ? [...at, key, index] : [...at, key]),
      );
    const pattern = readable[table.columns.get(key)?.type.name ?? ""];
    if (pattern === undefined) return [];
    const operands = isFields(value) ? Object.entries(value).filter(([name]) => compared.test(name)) : [["", value]];
    return operands.flatMap(([name = "", operand]) =>
      listOf(operand)
        .filter((text) => typeof text === "string" && sessionVariable(text) === undefined && !pattern.test(text))
        .map((text) => ({ text: String(text), column: key, at: [...at, key, ...(name === "" ? [] : [String(name)])] })),
    );
  });
}

export const unreadableText: Rule = {
  id: "unreadable-text",
  severity: "error",
  needs: "database",
  finds: "a text in a filter or a check that Postgres cannot read as the type of its column",
  why: "Hasura accepts it, and every request of the role fails.",
  remedy: "write a value of the column's type, or the name of a session variable with its prefix x-hasura-",
  find: (examined) =>
    grantsOf(examined).flatMap(({ key, role, permission, path, at }): readonly Found[] => {
      const table = catalogAt(examined, path)?.tables.get(key);
      if (table === undefined) return [];
      return ["filter", "check"].flatMap((part) =>
        textsIn(permission[part], table, [...at, part]).map(({ text, column, at: place }) => {
          const type = table.columns.get(column)?.type.name ?? "";
          const reason = `the ${part} of ${role} on ${key} compares ${column} with "${text}", which is not of its type ${type}`;
          return { at: place, role, table: key, name: column, reason };
        }),
      );
    }),
};
