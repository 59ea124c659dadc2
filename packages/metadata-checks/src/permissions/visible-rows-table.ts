import type { VisibleRows } from "./visible-rows.ts";

/** The rows that a role sees, such as `20 to 24 of 60`. */
export function visibleText({ all, visible, isSample }: VisibleRows): string {
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
  return [head, ...lines]
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
