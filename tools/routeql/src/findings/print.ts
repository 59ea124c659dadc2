import type { Paint } from "../cli/colours.ts";
import { UsageError } from "../cli/usage-error.ts";
import { allRules } from "../rules/list.ts";
import { counts, type Finding, type Severity } from "./finding.ts";
import { codeQuality, sarif } from "./machine-formats.ts";

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

const place = ({ file, line }: Finding) => (file === undefined ? "metadata" : line === undefined ? file : `${file}:${line}`);

function text(finding: Finding, paint: Paint): string {
  const { severity, rule, source, reason, remedy } = finding;
  return `${paint("bold", place(finding))}  ${paint(styles[severity], severity)}  ${paint("dim", rule)}${source === undefined ? "" : paint("dim", ` in source ${source}`)}\n  ${reason}\n  ${paint("dim", "→")} ${remedy}\n`;
}

const escaped = (value: string) => value.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
const property = (value: string) => escaped(value).replaceAll(":", "%3A").replaceAll(",", "%2C");

/** GitHub's workflow command of an annotation. */
function annotation({ severity, rule, source, file, line, reason, remedy }: Finding): string {
  const where = [...(file === undefined ? [] : [`file=${property(file)}`]), ...(line === undefined ? [] : [`line=${line}`]), `title=${property(source === undefined ? rule : `${rule} in source ${source}`)}`];
  return `::${severity === "note" ? "notice" : severity} ${where.join(",")}::${escaped(`${reason}\n${remedy}`)}`;
}

/** `1 table`, `2 tables` */
export function amount(number: number, what: string): string {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** `3 findings (1 error, 2 warnings)`, or that there is none. */
export function tally(findings: readonly Finding[]): string {
  const counted = findings.filter(counts);
  const notes = findings.length - counted.length;
  const after = notes === 0 ? "" : `, ${amount(notes, "note")}`;
  if (counted.length === 0) return `no findings${after}`;
  const errors = counted.filter(({ severity }) => severity === "error").length;
  return `${amount(counted.length, "finding")} (${amount(errors, "error")}, ${amount(counted.length - errors, "warning")})${after}`;
}

/** More findings than a screen holds are counted by rule, so that the reader sees where to begin. */
function byRule(findings: readonly Finding[]): readonly string[] {
  if (findings.length <= 20) return [];
  const numbers = new Map<string, number>();
  for (const { rule } of findings) numbers.set(rule, (numbers.get(rule) ?? 0) + 1);
  const width = String(Math.max(...numbers.values())).length;
  return [...[...numbers].toSorted(([, one], [, other]) => other - one).map(([rule, number]) => `${String(number).padStart(width)}  ${rule}`), ""];
}

export interface Report {
  readonly findings: readonly Finding[];
  /** What was examined, in one line. */
  readonly examined: string;
  /** Further keys of the JSON. */
  readonly more?: Readonly<Record<string, unknown>>;
}

/** A report in one of the formats. */
export function printReport({ findings, examined, more }: Report, format: Format, paint: Paint): string {
  if (format === "json") return JSON.stringify({ ...more, examined, findings }, null, 2);
  if (format === "sarif") return sarif(findings, (id) => allRules.find((rule) => rule.id === id)?.finds);
  if (format === "gitlab") return codeQuality(findings);
  const summary = `${tally(findings)}; ${examined}`;
  if (format === "github") return [...findings.map(annotation), summary].join("\n");
  const colour = findings.some(counts) ? "red" : "green";
  return [...findings.map((finding) => text(finding, paint)), ...byRule(findings), paint(colour, summary)].join("\n");
}
