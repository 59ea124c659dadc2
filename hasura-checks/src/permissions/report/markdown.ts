import {
  type DeclaredAccess,
  type DeclaredPermission,
  type DeclaredTable,
  operations,
} from "../../declared/declared.ts";
import { filterWords } from "../../declared/filter-text.ts";
import { told } from "./expectations.ts";
import { code, type Section, sectionsOf } from "./sections.ts";

export interface DocumentOptions {
  readonly rolesWithoutPermission: readonly string[];
  /** One sentence about the origin of the page. */
  readonly origin: string;
  /** Markdown that follows the tables. */
  readonly notes: string;
}

export interface DocumentedSource {
  /** undefined for a single source. */
  readonly name: string | undefined;
  readonly access: DeclaredAccess;
}

export function renderPermissions(
  sources: readonly DocumentedSource[],
  { rolesWithoutPermission, origin, notes }: DocumentOptions,
): string {
  return [
    "# Permissions",
    "",
    origin,
    "An object that is not granted does not exist for the role.",
    "",
    ...sources.flatMap(({ name, access }) =>
      name === undefined
        ? sourceLines(access, rolesWithoutPermission)
        : [
            `## Source ${name}`,
            "",
            ...sourceLines(access, rolesWithoutPermission).map((line) => line.replace(/^## /, "### ")),
          ],
    ),
    ...(notes.trim() === "" ? [] : [notes.trim(), ""]),
  ].join("\n");
}

function sourceLines(access: DeclaredAccess, rolesWithoutPermission: readonly string[]): readonly string[] {
  const roles = [...new Set([...access.roles, ...rolesWithoutPermission])].sort();
  return [
    "## Roles and root fields",
    "",
    ...table(
      ["Role", "Root field", "Operations", "Columns hidden", "Rows", "Row limit"],
      roles.flatMap((role) => roleRows(access, role)),
    ),
    "",
    "Aggregates are `<root field>_aggregate`, streams `<root field>_stream`. The row limit applies to each list, also to nested lists and the",
    "nodes of aggregates. A condition with arrows holds if a row at the end of the path meets it.",
    "",
    "## Relationships",
    "",
    "The permissions of the related table apply to rows behind a relationship, also in conditions, orders and aggregates.",
    "",
    ...table(["Root field", "May follow", "Roles"], relationshipRows(access, roles)),
    "",
    ...[...sectionsOf(access, roles), ...cellSection(access)].flatMap(sectionLines),
  ];
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

const table = (head: readonly string[], rows: readonly string[]) => [row(head), row(head.map(() => "---")), ...rows];

function grantedTo(access: DeclaredAccess, role: string): readonly (readonly [DeclaredTable, DeclaredPermission])[] {
  return [...access.tables.values()].flatMap((table) => {
    const permission = access.permission(role, table.key);
    return permission === undefined ? [] : [[table, permission] as const];
  });
}

function roleRows(access: DeclaredAccess, role: string): readonly string[] {
  const granted = grantedTo(access, role);
  if (granted.length === 0) return [row([code(role), "none", "", "", "", ""])];
  const rows = granted.map(([table, permission]): readonly [string, string] => {
    const hidden = [...table.fields.keys()].filter((column) => !permission.columns.includes(column));
    const cells = [
      operations.filter((operation) => permission.operations.has(operation)).join(", "),
      hidden.length === 0 ? "none" : hidden.map(code).join(", "),
      told(() => filterWords(access, table.key, permission.filter)),
      permission.limit === undefined ? "none" : permission.limit.toLocaleString("en"),
    ];
    return [code(table.rootField), cells.join(" | ")];
  });
  return grouped(rows).map(([fields, cells]) => row([code(role), fields, cells]));
}

/** Joins the first cells of rows whose other cells are equal. */
function grouped(rows: readonly (readonly [first: string, rest: string])[]): readonly (readonly [string, string])[] {
  return [...Map.groupBy(rows, ([, rest]) => rest)].map(([rest, group]) => [
    group.map(([first]) => first).join(", "),
    rest,
  ]);
}

function sectionLines({ title, head, rows, note }: Section): readonly string[] {
  const lines = rows.map((cells) => row(cells.map((cell) => cell.replaceAll("|", "\\|"))));
  return [`## ${title}`, "", ...table(head, lines), "", ...(note === undefined ? [] : [note, ""])];
}

/** Cells of inherited roles: null where no contained role that grants the column may read the row. */
function cellSection(access: DeclaredAccess): readonly Section[] {
  const rows = access.roles.flatMap((role) =>
    grantedTo(access, role).flatMap(([of, permission]) =>
      [...permission.cells].map(([column, filter]) => [
        code(role),
        code(`${of.rootField}.${of.fields.get(column) ?? column}`),
        told(() => filterWords(access, of.key, filter)),
      ]),
    ),
  );
  return rows.length === 0
    ? []
    : [{ title: "Cells that are null in some rows", head: ["Role", "Column", "Only where"], rows }];
}

function relationshipRows(access: DeclaredAccess, roles: readonly string[]): readonly string[] {
  const rows = roles.flatMap((role) =>
    grantedTo(access, role).map(([table]): readonly [string, string] => {
      const reached = table.relationships.flatMap(({ name, target, kind }) => {
        const permission = access.permission(role, target);
        if (permission === undefined) return [];
        return kind === "array" && permission.aggregates
          ? [code(name), code(access.naming.suffixed(name, "aggregate"))]
          : [code(name)];
      });
      return [code(role), `${code(table.rootField)} | ${reached.length === 0 ? "nothing" : reached.join(", ")}`];
    }),
  );
  return grouped(rows).map(([followers, cells]) => row([cells, followers]));
}
