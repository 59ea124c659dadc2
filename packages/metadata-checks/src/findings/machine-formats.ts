/**
 * Findings in the formats of code platforms.
 * @module
 */
import { createHash } from "node:crypto";
import { version } from "../version.ts";
import type { Finding, Severity } from "./finding.ts";
import { identities } from "./identity.ts";

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
