import { createHash } from "node:crypto";
import { basename } from "node:path";
import type { Paint } from "../cli/command.ts";
import { withoutCommands } from "../cli/terminal-text.ts";
import { UsageError } from "../cli/usage-error.ts";
import { allRules } from "../rules/list.ts";
import { version } from "../version.ts";
import { counts, type Finding, identities, type Severity } from "../findings/finding.ts";
import { redacted } from "../findings/secret-texts.ts";
import { bySeverity } from "./selection.ts";

export const formats = ["text", "json", "github", "gitlab", "sarif"] as const;
export type Format = (typeof formats)[number];

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

/** A report with more findings than this is grouped by rule. */
const mostSingle = 8;
/** Lines of the groups, so that the report fits a screen. */
const mostLines = 32;
/** Lines of a group besides its examples. */
const groupLines = 2;
const mostExamples = 3;

/** Names by their number in the findings, most frequent first. */
function frequent(findings: readonly Finding[], what: "role" | "table"): readonly (readonly [string, number])[] {
  const named = Map.groupBy(
    findings.flatMap(({ [what]: name }) => name ?? []),
    (name) => name,
  );
  return [...named].map(([name, all]) => [name, all.length] as const).toSorted(([, one], [, other]) => other - one);
}

/** One entry for each rule: its number, examples, and what to do. Rules for which the screen has no space follow in one line each. */
function grouped(findings: readonly Finding[], paint: Paint): readonly string[] {
  // A rule with hundreds of findings concerns a habit of the project; rare findings come first.
  const byRule = [...Map.groupBy(findings.filter(counts), ({ rule, severity }) => `${severity} ${rule}`).values()];
  const rank = ([finding]: readonly Finding[]) => (finding?.severity === "error" ? 0 : 1);
  const groups = byRule.toSorted((one, other) => rank(one) - rank(other) || one.length - other.length);
  const errors = groups.filter((group) => rank(group) === 0).length;
  // A group in one line leaves its example and its remedy out.
  const whole = Math.max(errors, Math.floor((mostLines - groups.length) / groupLines));
  const spare = Math.floor(mostLines / groups.length) - groupLines;
  const examples = Math.min(mostExamples, Math.max(1, spare));
  const entries = groups.flatMap((group, index) => {
    const [first] = group;
    if (first === undefined) return [];
    const { severity, rule, remedy } = first;
    const numbers = [
      amount(group.length, "place"),
      ...(["role", "table"] as const).flatMap((what) => {
        const { length } = frequent(group, what);
        return length === 0 ? [] : [amount(length, what)];
      }),
    ];
    const [action = remedy] = remedy.split(";");
    const head = `${paint(styles[severity], severity)}  ${paint("bold", rule)}: ${numbers.join(", ")}`;
    const finds = allRules.find(({ id }) => id === rule)?.finds;
    if (index >= whole) return [finds === undefined ? head : `${head}: ${finds}`];
    return [
      head,
      ...group.slice(0, examples).map((finding) => `  ${basename(place(finding))}  ${finding.reason}`),
      `  ${paint("dim", "→")} ${action}`,
    ];
  });
  const roles = frequent(findings.filter(counts), "role").slice(0, 5);
  return [
    ...entries,
    "",
    ...(roles.length < 2 ? [] : [`Most findings: ${roles.map(([name, number]) => `${name} ${number}`).join(", ")}`]),
    "`--all` lists every finding, `--rule RULE` those of a rule",
  ];
}

export interface Report {
  readonly findings: readonly Finding[];
  /** The examined objects, in one line. */
  readonly examined: string;
  /** Whether the text lists every finding; default: a long one is grouped by rule. */
  readonly isWhole?: boolean;
  /** Further keys of the JSON. */
  readonly more?: Readonly<Record<string, unknown>>;
}

export function printReport(
  { findings: found, examined, isWhole, more }: Report,
  format: Format,
  paint: Paint,
): string {
  const findings = redacted(bySeverity(found));
  // The escapes are those of JSON, so that JSON keeps its values.
  if (format === "json") return withoutCommands(JSON.stringify({ ...redacted(more), examined, findings }, null, 2));
  if (format === "sarif")
    return withoutCommands(sarif(findings, (id) => allRules.find((rule) => rule.id === id)?.finds));
  if (format === "gitlab") return withoutCommands(codeQuality(findings));
  const result = `${tally(findings)}; ${examined}`;
  if (format === "github") return [...findings.map(annotation), withoutCommands(result)].join("\n");
  const colour = findings.some(counts) ? "red" : "green";
  const isShort = isWhole === true || findings.filter(counts).length <= mostSingle;
  const entries = isShort ? findings.map((finding) => text(finding, paint)) : grouped(findings, paint);
  return withoutCommands([...entries, paint(colour, result)].join("\n"));
}

/** Fingerprints of findings, stable when files and lines move. */
const fingerprints = (findings: readonly Finding[]) =>
  identities(findings).map((identity) => createHash("sha256").update(identity).digest("hex"));

const slashed = (file: string | undefined) => (file ?? "metadata").replaceAll("\\", "/");

/** SARIF 2.1.0 (OASIS) for GitHub code scanning. @param describe description of a rule; undefined if unknown */
export function sarif(findings: readonly Finding[], describe: (rule: string) => string | undefined): string {
  const rules = [...new Set(findings.map(({ rule }) => rule))];
  const fingerprintOf = fingerprints(findings);
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "hasura-checks",
            version,
            rules: rules.map((id) => {
              const text = describe(id);
              return { id, ...(text === undefined ? {} : { shortDescription: { text: `Finds ${text}.` } }) };
            }),
          },
        },
        results: findings.map((finding, index) => ({
          ruleId: finding.rule,
          ruleIndex: rules.indexOf(finding.rule),
          level: finding.severity satisfies "error" | "warning" | "note",
          message: { text: `${finding.reason}\nRemedy: ${finding.remedy}` },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: encodeURI(slashed(finding.file)) },
                ...(finding.line === undefined ? {} : { region: { startLine: finding.line } }),
              },
            },
          ],
          partialFingerprints: { "routeql/v1": fingerprintOf[index] },
        })),
      },
    ],
  };
  return JSON.stringify(log, null, 2);
}

/** The code quality report of GitLab, a subset of that of Code Climate. The name of the artefact is `codequality`. */
export function codeQuality(findings: readonly Finding[]): string {
  const severities = { error: "major", warning: "minor", note: "info" } as const satisfies Record<Severity, string>;
  const fingerprintOf = fingerprints(findings);
  const issues = findings.map((finding, index) => ({
    description: `${finding.reason}; ${finding.remedy}`,
    check_name: finding.rule,
    fingerprint: fingerprintOf[index],
    severity: severities[finding.severity],
    location: { path: slashed(finding.file), lines: { begin: finding.line ?? 1 } },
  }));
  return JSON.stringify(issues, null, 2);
}
