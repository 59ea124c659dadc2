import { type DeclaredAccess, type DeclaredPermission, type DeclaredTable, operations } from "@routeql/metadata/declared/declared";
import { filterSql, filterWords } from "@routeql/metadata/declared/filter-text";
import { rowsText } from "./expectations.ts";
import { told } from "./told.ts";

export interface DocumentOptions {
  /** Roles that exist outside of metadata and are granted nothing there. */
  readonly rolesWithoutPermission: readonly string[];
  /** Where it was written from and what keeps it true, as one sentence. */
  readonly origin: string;
  /** Markdown that follows the tables. */
  readonly notes: string;
}

/** What the metadata declare of one source. */
export interface DocumentedSource {
  /** undefined where it is the only one. */
  readonly name: string | undefined;
  readonly access: DeclaredAccess;
}

/** What every role may read, as Markdown: each source by itself. */
export function renderPermissions(sources: readonly DocumentedSource[], { rolesWithoutPermission, origin, notes }: DocumentOptions): string {
  return [
    "# Permissions",
    "",
    origin,
    "What is not granted here does not exist for the role: it is neither in its schema nor in any answer, and an error about it reads",
    "like one about an unknown name.",
    "",
    ...sources.flatMap(({ name, access }) => (name === undefined ? sourceLines(access, rolesWithoutPermission) : [`## Source ${name}`, "", ...sourceLines(access, rolesWithoutPermission).map((line) => line.replace(/^## /, "### "))])),
    ...(notes.trim() === "" ? [] : [notes.trim(), ""]),
  ].join("\n");
}

function sourceLines(access: DeclaredAccess, rolesWithoutPermission: readonly string[]): readonly string[] {
  const roles = [...new Set([...access.roles, ...rolesWithoutPermission])].sort();
  const tables = [...access.tables.values()];
  return [
    "## Roles and root fields",
    "",
    row(["Role", "Root field", "Operations", "Columns hidden", "Rows", "Row limit", "Aggregates"]),
    row(Array.from({ length: 7 }, () => "---")),
    ...roles.flatMap((role) => roleRows(access, role)),
    "",
    "The operations are those of the root field itself: `query aggregate` and `live aggregate` are `<root field>_aggregate` in queries and",
    "subscriptions, `stream` is `<root field>_stream`. The row limit is the most that one list holds, nested lists and the nodes of",
    "aggregates too; a client may ask for less, never for more. A condition with arrows holds when some row at the end of the path fulfils it.",
    "",
    "## Row filters in SQL",
    "",
    ...filters(access, tables),
    "## Relationships",
    "",
    row(["Role", "Root field", "May follow"]),
    row(["---", "---", "---"]),
    ...roles.flatMap((role) => relationshipRows(access, role)),
    "",
    "Rows reached through a relationship are cut by the filter and the limit of the table they are in, and only the columns that the role",
    "may read there exist; conditions, orders and aggregates over a relationship are no exception.",
    "",
    ...functionSection(access, roles),
    ...nativeQuerySection(access, roles),
    ...cellSection(access),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

const code = (name: string) => `\`${name}\``;

function grantedTo(access: DeclaredAccess, role: string): readonly (readonly [DeclaredTable, DeclaredPermission])[] {
  return [...access.tables.values()].flatMap((table) => {
    const permission = access.permission(role, table.key);
    return permission === undefined ? [] : [[table, permission] as const];
  });
}

function roleRows(access: DeclaredAccess, role: string): readonly string[] {
  const granted = grantedTo(access, role);
  if (granted.length === 0) return [row([code(role), "none", "", "", "", "", ""])];
  return granted.map(([table, permission]) => {
    const hidden = [...table.fields.keys()].filter((column) => !permission.columns.includes(column));
    return row([
      code(role),
      code(table.rootField),
      operations.filter((operation) => permission.operations.has(operation)).join(", "),
      hidden.length === 0 ? "none" : hidden.map(code).join(", "),
      told(() => filterWords(access, table.key, permission.filter)),
      permission.limit === undefined ? "none" : permission.limit.toLocaleString("en"),
      permission.aggregates ? "yes" : "no",
    ]);
  });
}

function filters(access: DeclaredAccess, tables: readonly DeclaredTable[]): readonly string[] {
  return tables.flatMap((table) => {
    const byText = new Map<string, string[]>();
    for (const role of access.roles) {
      const permission = access.permission(role, table.key);
      if (permission === undefined) continue;
      const text = told(() => filterSql(access, table.key, permission.filter, "it", (name) => `session('${name}')`));
      byText.set(text, [...(byText.get(text) ?? []), role]);
    }
    return [...byText].flatMap(([text, roles]) => [
      `${roles.map(code).join(", ")}:`,
      "",
      "```sql",
      `select it.* from ${table.key} it${text === "true" ? "" : `\nwhere ${text.replaceAll(" and exists (", "\n  and exists (")}`}`,
      "```",
      "",
    ]);
  });
}

function functionSection(access: DeclaredAccess, roles: readonly string[]): readonly string[] {
  if (access.functions.length === 0) return [];
  const callable = access.functions.map((called) => {
    const callers = roles.filter((role) => access.permission(role, called.target) !== undefined && access.mayCall(role, called));
    return row([code(called.field), code(access.tables.get(called.target)?.rootField ?? called.target), callers.map(code).join(", ") || "nobody"]);
  });
  return ["## Functions", "", row(["Root field", "Gives rows of", "Called by"]), row(["---", "---", "---"]), ...callable, "", "Of the rows that a function gives, a role is served those that it may read in the table.", ""];
}

function nativeQuerySection(access: DeclaredAccess, roles: readonly string[]): readonly string[] {
  const served = access.nativeQueries.flatMap((query) =>
    roles.flatMap((role) => {
      const rows = access.mayAsk(role, query);
      return rows === undefined ? [] : [row([code(query.field), code(role), code(rowsText(rows).replaceAll("|", "\\|"))])];
    }),
  );
  if (served.length === 0) return [];
  return ["## Native queries", "", row(["Root field", "Role", "Is served"]), row(["---", "---", "---"]), ...served, ""];
}

/** Inherited roles: a cell is null where no part that grants its column may read the row. */
function cellSection(access: DeclaredAccess): readonly string[] {
  const cells = access.roles.flatMap((role) =>
    grantedTo(access, role).flatMap(([table, permission]) =>
      [...permission.cells].map(([column, filter]) => row([code(role), code(`${table.rootField}.${table.fields.get(column) ?? column}`), told(() => filterWords(access, table.key, filter))])),
    ),
  );
  if (cells.length === 0) return [];
  return ["## Cells that are null in some rows", "", row(["Role", "Column", "Only where"]), row(["---", "---", "---"]), ...cells, ""];
}

function relationshipRows(access: DeclaredAccess, role: string): readonly string[] {
  return grantedTo(access, role).map(([table]) => {
    const reached = table.relationships.flatMap(({ name, target, kind }) => {
      const permission = access.permission(role, target);
      if (permission === undefined) return [];
      return kind === "array" && permission.aggregates ? [code(name), code(access.naming.suffixed(name, "aggregate"))] : [code(name)];
    });
    return row([code(role), code(table.rootField), reached.length === 0 ? "nothing" : reached.join(", ")]);
  });
}
