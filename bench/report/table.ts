import type { Figure } from "../measure/statistics.ts";

/** Rows as columns under their titles: the first aligned left, the others, which are figures, aligned right. */
export function table(titles: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [titles, ...rows];
  const widths = titles.map((_, column) => Math.max(...lines.map((line) => (line[column] ?? "").length)));
  const pad = (cell: string, column: number): string =>
    column < 2 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return lines
    .map((line) =>
      titles
        .map((_, column) => pad(line[column] ?? "", column))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

/** A number with three significant digits and thousands separators. */
export function number(value: number): string {
  if (!Number.isFinite(value)) return "-";
  const decimals = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toLocaleString("en", { minimumFractionDigits: decimals, maximumFractionDigits: decimals });
}

/** A median with the minimum and maximum of the rounds; `-` if rounds were too short for any answer. */
export function spread({ median, least, most }: Figure): string {
  return Number.isFinite(median) ? `${number(median)} (${number(least)}-${number(most)})` : "-";
}
