type Cell = string | number | boolean | Date | null;

/** Rows as aligned columns under the names of the first row's members. */
export function table(rows: readonly object[]): string {
  const [first] = rows;
  if (first === undefined) return "none";
  const names = Object.keys(first);
  const lines = [names, ...rows.map((row) => names.map((name) => shown((row as Record<string, Cell>)[name] ?? null)))];
  const widths = names.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

function shown(cell: Cell): string {
  if (cell === null) return "-";
  if (cell instanceof Date) return cell.toISOString();
  if (typeof cell === "boolean") return cell ? "yes" : "no";
  // Text from a directory or a form must not control the terminal.
  return String(cell).replace(/\p{Cc}/gu, "\uFFFD");
}
