import type { Given, Options } from "../cli/command.ts";
import { nearest } from "@routeql/metadata/nearest";
import { UsageError } from "../cli/usage-error.ts";
import type { Configuration } from "../configuration.ts";
import { allRules, unusedException } from "../rules/list.ts";
import type { Finding, Severity } from "../findings/finding.ts";

const ranks: Readonly<Record<Severity, number>> = { error: 0, warning: 1, note: 2 };

export const selectionOptions = {
  rule: {
    type: "string",
    value: "RULE",
    multiple: true,
    help: "list and count the findings of this rule alone; may be given more than once",
  },
  severity: {
    type: "string",
    value: "SEVERITY",
    help: "list and count findings of at least this severity: error, warning or note (default)",
  },
} as const satisfies Options;

/** The findings that `--rule` and `--severity` select. @throws UsageError for a rule or a severity that does not exist */
export function selectionOf(given: Given): (findings: readonly Finding[]) => readonly Finding[] {
  const rules = given.texts("rule");
  for (const rule of rules) {
    if (allRules.some(({ id }) => id === rule)) continue;
    const suggestion = nearest(
      rule,
      allRules.map(({ id }) => id),
    );
    throw new UsageError(
      `there is no rule ${rule}${suggestion === undefined ? "" : `; did you mean ${suggestion}?`} hasura-checks lint --rules lists the rules`,
    );
  }
  const severity = given.text("severity") ?? "note";
  if (!Object.hasOwn(ranks, severity))
    throw new UsageError(`there is no severity ${severity}; there are ${Object.keys(ranks).join(", ")}`);
  const least = ranks[severity as Severity];
  return (findings) =>
    findings.filter(
      (finding) => ranks[finding.severity] <= least && (rules.length === 0 || rules.includes(finding.rule)),
    );
}

/** Errors first, then warnings, then notes; otherwise in the original order. */
export function bySeverity(findings: readonly Finding[]): readonly Finding[] {
  return findings.toSorted((one, other) => ranks[one.severity] - ranks[other.severity]);
}

type Exceptions = Pick<Configuration, "exceptions" | "off" | "file">;
type Exception = Configuration["exceptions"][number];

export interface Judged {
  readonly findings: readonly Finding[];
  readonly excepted: readonly (Finding & { readonly because: string })[];
}

const fits = (wanted: readonly string[] | undefined, value: string | undefined) =>
  wanted === undefined || (value !== undefined && wanted.includes(value));

const concerns = (exception: Exception, finding: Finding) =>
  exception.rule === finding.rule &&
  fits(exception.table, finding.table) &&
  fits(exception.role, finding.role) &&
  fits(exception.name, finding.name);

/** Removes excepted findings. @param applied rules; exceptions from others do not count as unused @throws UsageError for unknown rules */
export function judge(
  findings: readonly Finding[],
  { exceptions, off, file }: Exceptions,
  applied: ReadonlySet<string>,
): Judged {
  for (const id of [...Object.keys(off), ...exceptions.map(({ rule }) => rule)]) {
    if (!allRules.some((rule) => rule.id === id))
      throw new UsageError(
        `${file ?? "the configuration"}: there is no rule ${id}; hasura-checks lint --rules lists them`,
      );
  }
  const used = new Set<Exception>();
  const kept: Finding[] = [];
  const excepted: (Finding & { because: string })[] = [];
  for (const finding of findings) {
    const fitting = exceptions.filter((exception) => concerns(exception, finding));
    for (const exception of fitting) used.add(exception);
    const because = off[finding.rule] ?? fitting[0]?.reason;
    if (because === undefined) kept.push(finding);
    else excepted.push({ ...finding, because });
  }
  const unused = exceptions
    .filter((exception) => !used.has(exception) && applied.has(exception.rule))
    .map((exception): Finding => ({
      rule: unusedException.id,
      severity: unusedException.severity,
      file,
      line: undefined,
      reason: `the exception from ${exception.rule}${describe(exception)} excepts nothing`,
      remedy: unusedException.remedy,
    }));
  return { findings: [...kept, ...unused], excepted };
}

function describe({ table, role, name }: Exception): string {
  const parts = [
    ...(role === undefined ? [] : [`role ${role.join(", ")}`]),
    ...(table === undefined ? [] : [`table ${table.join(", ")}`]),
    ...(name === undefined ? [] : [name.join(", ")]),
  ];
  return parts.length === 0 ? "" : ` for ${parts.join(", ")}`;
}
