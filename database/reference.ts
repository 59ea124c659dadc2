/** docs/reference/data-dictionary.md: the views of the API, from the migrations. */
import { readdirSync, readFileSync } from "node:fs";

const folder = new URL("migrations/", import.meta.url);

/** The SQL of all migrations, in the order in which they run. */
const allMigrations = (): string =>
  readdirSync(folder)
    .toSorted()
    .map((name) => readFileSync(new URL(name, folder), "utf8"))
    .join("\n");

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
  view_hijack_reasons: "hijacks",
  view_visibility_losses: "visibility_losses",
  view_configured_prefixes: "configured_prefixes",
  view_feed_gaps: "feed_gaps",
  view_bgpupdates_log: "bgp_updates",
  view_hijacks_log: "hijacks",
  view_log_generations: "log_generations",
};

/** Views that no role of the API reads. */
const internal: ReadonlySet<string> = new Set(["view_configured_prefixes"]);

/** Views whose columns, with their descriptions, a log has too (routing.describe_logs). */
const logged: Readonly<Record<string, string>> = {
  view_bgpupdates_log: "view_bgpupdates",
  view_hijacks_log: "view_hijacks",
};

/** Columns of views that their tables do not have. */
const ofViews: Readonly<Record<string, string>> = {
  position: "bigint",
  generation: "bigint",
  hijack_key: "varchar",
  peers: "json",
};

/** Every view with its columns in the order of their descriptions. */
export function documentedViews(): readonly DocumentedView[] {
  const migrations = allMigrations();
  return Object.entries(tables).map(([name, table]) => {
    const types = columnTypes(migrations, table);
    const comments = (on: string): readonly RegExpExecArray[] => [
      ...migrations.matchAll(new RegExp(`comment on ${on} is\\s+'((?:[^']|'')*)';`, "g")),
    ];
    // A later comment replaces an earlier one.
    const columns = new Map(
      [logged[name], name]
        .filter((view) => view !== undefined)
        .flatMap((view) => comments(`column public\\.${view}\\."?(\\w+)"?`))
        .map(([, column = "", text = ""]) => [column, text]),
    );
    // view_hijacks is a table since operators write to it.
    const description = comments(`(?:view|table) public\\.${name}`).at(-1)?.[1] ?? "";
    return {
      name,
      description: unquoted(description),
      columns: [...columns].map(([column, text]) => ({
        name: column,
        type: types.get(column) ?? ofViews[column] ?? "",
        description: unquoted(text),
      })),
    };
  });
}

const unquoted = (text: string): string => text.replaceAll("''", "'");

/** Types of a table's columns: those of `create table`, and those that later migrations add. */
function columnTypes(migrations: string, table: string): ReadonlyMap<string, string> {
  const column = String.raw`"?(\w+)"? ([a-z]+)(?:\(\d+\))?((?:\[\])?)`;
  const body = new RegExp(`create table routing\\.${table} \\(\\n([^;]*?)\\n\\)`).exec(migrations)?.[1] ?? "";
  const found = [
    ...body.matchAll(new RegExp(`^ {2}${column}`, "gm")),
    ...[...migrations.matchAll(new RegExp(`alter table routing\\.${table}\\s+(add column [^;]*);`, "g"))].flatMap(
      ([, added = ""]) => [...added.matchAll(new RegExp(`add column ${column}`, "g"))],
    ),
  ];
  return new Map(found.map(([, name = "", type = "", list = ""]) => [name, type + list]));
}

export function dataDictionary(): string {
  const lines = (text: string, indent: string): string =>
    text.replaceAll(/(.{1,150})(?: |$)/g, `$1\n${indent}`).trimEnd();
  const readable = documentedViews().filter(({ name }) => !internal.has(name));
  const sections = readable.map(({ name, description, columns }) => {
    const base = readable.find((view) => view.name === logged[name]);
    const known = new Set(base?.columns.map((column) => column.name));
    const own = columns.filter((column) => !known.has(column.name));
    return [
      `## ${name}`,
      "",
      lines(description, ""),
      ...(base === undefined ? [] : ["", `The columns of [${base.name}](#${base.name}), and:`]),
      "",
      ...own.map((column) => `- \`${column.name}\` ${column.type}: ${lines(column.description, "  ")}`),
      "",
    ].join("\n");
  });
  return [
    "# Data dictionary",
    "",
    "The views that roles read. The same descriptions appear in introspection and in the console. Columns by role: [permissions](permissions.md).",
    "",
    "<!-- Generated from database/migrations by `npm run documents`; do not edit. -->",
    "",
    ...sections,
  ].join("\n");
}
