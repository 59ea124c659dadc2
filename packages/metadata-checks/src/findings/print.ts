import type { Paint } from "../cli/colours.ts";
import { UsageError } from "../cli/usage-error.ts";
import { allRules } from "../rules/list.ts";
import { counts, type Finding, type Severity } from "./finding.ts";
import { codeQuality, sarif } from "./machine-formats.ts";
import { bySeverity } from "./selection.ts";

export const formats = ["text", "json", "github", "gitlab", "sarif"] as const;
export type Format = (typeof formats)[number];

/** Reads `--format` and `--json`. @throws UsageError */
export function formatOf(named: string | undefined, json: boolean): Format {
  const name = json ? "json" : (named ?? "text");
  const format = formats.find((known) => known === name);
  if (format === undefined) throw new UsageError(`there is no format ${name}; there are ${formats.join(", ")}`);
  return format;
}

const styles = { error: "red", warning: "yellow", note: "cyan" } as const satisfies Record<Severity, string>;

const place = ({ file, line }: Finding) =>
  file === undefined ? "metadata" : line === undefined ? file : `${file}:${line}`;

function text(finding: Finding, paint: Paint): string {
  const { severity, rule, source, reason, remedy } = finding;
  return `${paint("bold", place(finding))}  ${paint(styles[severity], severity)}  ${paint("dim", rule)}${source === undefined ? "" : paint("dim", ` in source ${source}`)}\n  ${reason}\n  ${paint("dim", "→")} ${remedy}\n`;
}

const escaped = (value: string) => value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (value: string) => escaped(value).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** GitHub's workflow command of an annotation. */
function annotation({ severity, rule, source, file, line, reason, remedy }: Finding): string {
  const where = [
    ...(file === undefined ? [] : [`file=${property(file)}`]),
    ...(line === undefined ? [] : [`line=${line}`]),
    `title=${property(source === undefined ? rule : `${rule} in source ${source}`)}`,
  ];
  return `::${severity === "note" ? "notice" : severity} ${where.join(",")}::${escaped(`${reason}\n${remedy}`)}`;
}

/** `1 table`, `2 tables` */
export function amount(number: number, what: string): string {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** `3 findings (1 error, 2 warnings)`, or `no findings`. */
export function tally(findings: readonly Finding[]): string {
  const counted = findings.filter(counts);
  const notes = findings.length - counted.length;
  const after = notes === 0 ? "" : `, ${amount(notes, "note")}`;
  if (counted.length === 0) return `no findings${after}`;
  const errors = counted.filter(({ severity }) => severity === "error").length;
  return `${amount(counted.length, "finding")} (${amount(errors, "error")}, ${amount(counted.length - errors, "warning")})${after}`;
}

const mostRows = 10;

/** Number of findings for each rule, role or table, largest first. */
function numbersBy(findings: readonly Finding[], what: "rule" | "role" | "table", most: number): readonly string[] {
  const numbers = new Map<string, number>();
  for (const { [what]: value } of findings) if (value !== undefined) numbers.set(value, (numbers.get(value) ?? 0) + 1);
  const ranked = [...numbers].toSorted(([, one], [, other]) => other - one);
  const width = String(Math.max(0, ...numbers.values())).length;
  const rows = ranked.slice(0, most).map(([value, number]) => `${String(number).padStart(width)}  ${value}`);
  return rows.length === 0
    ? []
    : [
        `By ${what}:`,
        ...rows,
        ...(ranked.length > most ? [`${" ".repeat(width)}  and ${ranked.length - most} more`] : []),
        "",
      ];
}

/** Numbers of findings, for reports that are longer than a screen. */
function summary(findings: readonly Finding[]): readonly string[] {
  return findings.length <= 20
    ? []
    : [
        ...numbersBy(findings, "rule", Number.POSITIVE_INFINITY),
        ...numbersBy(findings, "role", mostRows),
        ...numbersBy(findings, "table", mostRows),
      ];
}

export interface Report {
  readonly findings: readonly Finding[];
  /** The examined objects, in one line. */
  readonly examined: string;
  /** Further keys of the JSON. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A report in one of the formats. */
export function printReport({ findings: found, examined, more }: Report, format: Format, paint: Paint): string {
  const findings = bySeverity(found);
  if (format === "json") return JSON.stringify({ ...more, examined, findings }, null, 2);
  if (format === "sarif") return sarif(findings, (id) => allRules.find((rule) => rule.id === id)?.finds);
  if (format === "gitlab") return codeQuality(findings);
  const result = `${tally(findings)}; ${examined}`;
  if (format === "github") return [...findings.map(annotation), result].join("\n");
  const colour = findings.some(counts) ? "red" : "green";
  return [...findings.map((finding) => text(finding, paint)), ...summary(findings), paint(colour, result)].join("\n");
}
