import { readFileSync } from "node:fs";
import { parse } from "yaml";
import { expect, test } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

interface Rule {
  readonly alert: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
}
const { groups } = parse(read("alerts.yml")) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);
const runbooks = read("../../docs/operate/runbooks.md");
const names = new Set(rules.map(({ alert }) => alert));

test("each alert links to its own section of the runbooks", () => {
  expect(new Set([...runbooks.matchAll(/^## (.*)$/gm)].map(([, title]) => title))).toEqual(names);
  for (const { alert, annotations } of rules)
    expect(annotations["runbook"]).toBe(`docs/operate/runbooks.md#${alert.toLowerCase()}`);
});

test("each section of the runbooks has symptom, first command, causes and fix", () => {
  for (const section of runbooks.split(/^## /m).slice(1))
    expect([...section.matchAll(/^- \*\*(.*?)\*\*/gm)].map(([, word]) => word)).toEqual([
      "Symptom",
      "First command",
      "Causes",
      "Fix",
    ]);
});

test("promtool tests each alert", () => {
  const files = ["alerts.test.yml", "slow-alerts.test.yml"].map((file) => parse(read(file))) as {
    tests: { alert_rule_test?: { alertname: string; exp_alerts: unknown[] }[] }[];
  }[];
  const tests = files.flatMap((file) => file.tests);
  const raised = tests.flatMap(({ alert_rule_test: expected = [] }) =>
    expected.filter(({ exp_alerts: alerts }) => alerts.length > 0).map(({ alertname }) => alertname),
  );
  expect(new Set(raised)).toEqual(names);
});

test("each alert has a severity and a summary", () => {
  for (const { labels, annotations } of rules) {
    expect(["critical", "warning"]).toContain(labels["severity"]);
    expect(annotations["summary"]).not.toBe("");
  }
});
