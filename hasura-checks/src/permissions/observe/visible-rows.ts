/** Rows of each table that a role sees, compared with all rows of the table. */
import { withoutCommands } from "../../cli/terminal-text.ts";
import type { DeclaredAccess, DeclaredPermission, DeclaredTable } from "../../declared/declared.ts";
import { identifier } from "../../declared/filter-text.ts";
import { UnderivableMetadata } from "../../declared/permission.ts";
import type { ReadOnlyDatabase } from "../../metadata/database.ts";
import type { Variables } from "./served.ts";
import { realSessions, strangerSession, type Uses, variablesOf } from "./sessions.ts";
import { Sql } from "./sql.ts";

export interface VisibleRows {
  readonly source: string;
  readonly role: string;
  /** `schema.name` */
  readonly table: string;
  /** Rows of the table, or of the sample. */
  readonly all: number;
  /** Rows that the role sees in each session whose variables hold values of the database. */
  readonly visible: readonly number[];
  /** Rows that the role sees in a session whose values no row holds. */
  readonly toStranger?: number;
  /** Session variables that the filter compares for equality; undefined where it orders by one or matches a pattern. */
  readonly variables?: readonly string[];
  readonly isSample: boolean;
}

export interface Uncounted {
  readonly role: string;
  readonly table: string;
  readonly reason: string;
}

export interface Counted {
  readonly counted: readonly VisibleRows[];
  readonly uncounted: readonly Uncounted[];
}

/** A table with more rows is sampled. */
const mostRows = 100_000;

const equality: ReadonlySet<string> = new Set([
  "_eq",
  "_neq",
  "_in",
  "_nin",
  "_contains",
  "_contained_in",
  "_has_key",
  "_has_keys_any",
  "_has_keys_all",
]);

/** Counts the visible rows of every role and table. The access describes one source. */
export async function visibleRows(
  access: DeclaredAccess,
  database: Pick<ReadOnlyDatabase, "rows">,
  source: string,
): Promise<Counted> {
  const counted: VisibleRows[] = [];
  const uncounted: Uncounted[] = [];
  for (const table of access.tables.values()) {
    let sample: Sample | undefined;
    for (const role of access.roles) {
      const permission = access.permission(role, table.key);
      if (permission === undefined) continue;
      try {
        sample ??= await sampleOf(table, database);
        counted.push({
          source,
          role,
          table: table.key,
          ...(await countsOf(access, table, permission, sample, database)),
        });
      } catch (error) {
        if (!(error instanceof UnderivableMetadata) && (error as { code?: unknown }).code === undefined) throw error;
        uncounted.push({ role, table: table.key, reason: (error as Error).message.split("\n")[0] ?? "unknown error" });
      }
    }
  }
  return { counted, uncounted };
}

interface Sample {
  /** The table as `it`, in SQL. */
  readonly from: string;
  readonly isSample: boolean;
}

async function sampleOf({ schema, name }: DeclaredTable, database: Pick<ReadOnlyDatabase, "rows">): Promise<Sample> {
  const from = `${identifier(schema)}.${identifier(name)} it`;
  const [[kind, rows] = []] = await database.rows(
    "select relkind, reltuples from pg_class where oid = $1::text::regclass",
    [`${identifier(schema)}.${identifier(name)}`],
  );
  const share = (100 * mostRows) / Number(rows ?? 0);
  return /^[rmp]$/.test(kind ?? "") && share > 0 && share < 100
    ? { from: `${from} tablesample system (${share.toFixed(4)}) repeatable (1)`, isSample: true }
    : { from, isSample: false };
}

async function countsOf(
  access: DeclaredAccess,
  table: DeclaredTable,
  permission: DeclaredPermission,
  { from, isSample }: Sample,
  database: Pick<ReadOnlyDatabase, "rows">,
) {
  const uses = variablesOf(access, table, [permission.filter]);
  const real = await realSessions(uses, database, ({ schema, name }) => `${identifier(schema)}.${identifier(name)}`);
  const stranger = strangerSession(uses);
  const sessions = [...real, ...(stranger === undefined ? [] : [stranger])];
  const count = (variables: Variables) =>
    `count(*) filter (where ${new Sql(access, permission.role, variables).filter(permission, "it")})`;
  const [[all = null, ...counts] = []] = await database.rows(
    `select count(*), ${sessions.map(count).join(", ")} from ${from}`,
  );
  const visible = counts.map(Number);
  return {
    all: Number(all),
    visible: visible.slice(0, real.length),
    ...(stranger === undefined ? {} : { toStranger: visible[real.length] ?? 0 }),
    ...(isEquality(uses) ? { variables: [...uses.keys()].toSorted() } : {}),
    isSample,
  };
}

/** With an ordering or a pattern, the smallest values of the database can select every row. */
const isEquality = (uses: Uses): boolean => [...uses.values()].flat().every(({ operator }) => equality.has(operator));

/** The rows that a role sees, such as `20 to 24 of 60`. */
function visibleText({ all, visible, isSample }: VisibleRows): string {
  const [fewest, most] = [Math.min(...visible), Math.max(...visible)].map((rows) => rows.toLocaleString("en"));
  return `${fewest === most ? fewest : `${fewest} to ${most}`} of ${all.toLocaleString("en")}${isSample ? " (sample)" : ""}`;
}

/** A list of the visible rows for each table and role, as lines of text. */
export function visibleRowsTable(rows: readonly VisibleRows[], namesSources: boolean): string {
  const head = ["TABLE", "ROLE", "ROWS", "SESSIONS", "TO A STRANGER"];
  const lines = rows
    .toSorted((one, other) =>
      `${one.source}\n${one.table}\n${one.role}`.localeCompare(`${other.source}\n${other.table}\n${other.role}`, "en"),
    )
    .map((row) => [
      namesSources ? `${row.source}: ${row.table}` : row.table,
      row.role,
      visibleText(row),
      String(row.visible.length),
      row.toStranger?.toLocaleString("en") ?? "",
    ]);
  const widths = head.map((title, column) => Math.max(title.length, ...lines.map((line) => line[column]?.length ?? 0)));
  const text = [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
  return withoutCommands(text);
}
