import type { Given, Options } from "../cli/command.ts";
import { nearest } from "../cli/nearest.ts";
import { UsageError } from "../cli/usage-error.ts";
import { allRules } from "../rules/list.ts";
import type { Finding, Severity } from "./finding.ts";

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
