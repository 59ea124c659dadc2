/**
 * docs/reference/data-dictionary.md: the views of the API, from the migrations.
 * @module
 */
import { readFileSync } from "node:fs";

const read = (name: string): string => readFileSync(new URL(`migrations/${name}`, import.meta.url), "utf8");

/** A column of a view: SQL type without its length, and description. */
export interface DocumentedColumn {
  readonly name: string;
  readonly type: string;
  readonly description: string;
}

export interface DocumentedView {
  readonly name: string;
  readonly description: string;
  readonly columns: readonly DocumentedColumn[];
}

/** Tables behind the views, by view. */
const tables: Readonly<Record<string, string>> = {
  view_bgpupdates: "bgp_updates",
  view_hijacks: "hijacks",
  view_bgpupdates_hijacks: "update_links",
  view_configured_prefixes: "configured_prefixes",
};

/** Every view with its columns in the order of their descriptions. */
export function documentedViews(): readonly DocumentedView[] {
  const comments = read("0007_describe_the_views.sql");
  const definitions = read("0002_routing_tables.sql");
  return Object.entries(tables).map(([name, table]) => {
    const types = columnTypes(definitions, table);
    const columns = [
      ...comments.matchAll(new RegExp(`comment on column public\\.${name}\\."?(\\w+)"? is\\s+'((?:[^']|'')*)';`, "g")),
    ];
    const description =
      new RegExp(`comment on view public\\.${name} is\\s+'((?:[^']|'')*)';`).exec(comments)?.[1] ?? "";
    return {
      name,
      description: unquoted(description),
      columns: columns.map(([, column = "", text = ""]) => ({
        name: column,
        type: types.get(column) ?? "",
        description: unquoted(text),
      })),
    };
  });
}

const unquoted = (text: string): string => text.replaceAll("''", "'");

function columnTypes(definitions: string, table: string): ReadonlyMap<string, string> {
  const body = new RegExp(`create table routing\\.${table} \\(\\n([^;]*?)\\n\\)`).exec(definitions)?.[1] ?? "";
  return new Map(
    [...body.matchAll(/^ {2}"?(\w+)"? ([a-z]+)(?:\(\d+\))?((?:\[\])?)/gm)].map(
      ([, name = "", type = "", list = ""]) => [name, type + list],
    ),
  );
}

/** The page, as Markdown. */
export function dataDictionary(): string {
  const cell = (text: string): string => text.replaceAll("|", String.raw`\|`);
  const sections = documentedViews().map(({ name, description, columns }) =>
    [
      `## ${name}`,
      "",
      description,
      "",
      "| column | type | description |",
      "|---|---|---|",
      ...columns.map((column) => `| \`${column.name}\` | ${column.type} | ${cell(column.description)} |`),
      "",
    ].join("\n"),
  );
  return [
    "# Data dictionary",
    "",
    "Generated from database/migrations by `npm run documents`; do not edit. The same descriptions appear in introspection and in the console.",
    "",
    "Which role sees which column is listed in [permissions](permissions.md).",
    "",
    ...sections,
  ].join("\n");
}
