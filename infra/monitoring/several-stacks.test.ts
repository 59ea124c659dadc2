import { parse } from "yaml";
import { expect, test } from "vitest";
import { alertRules, grafanaDashboard, prometheusFiles, scrapeConfiguration } from "./prometheus-files.ts";

const services = [
  { name: "gateway", metricsPort: 9090 },
  { name: "engine", metricsPort: 9090 },
] as const;

interface Job {
  readonly job_name: string;
  readonly static_configs: readonly {
    readonly targets: readonly string[];
    readonly labels: Readonly<Record<string, string>>;
  }[];
}
const jobs = (stack: string): Job[] =>
  (parse(scrapeConfiguration(services, stack)) as { scrape_configs: Job[] }).scrape_configs;

test("the jobs and targets of two stacks differ, and their series have the stack", () => {
  const both = [...jobs("one"), ...jobs("two")];
  expect(new Set(both.map((job) => job.job_name)).size).toBe(4);
  const targets = both.flatMap((job) => job.static_configs.flatMap((each) => each.targets));
  expect(new Set(targets).size).toBe(4);
  expect(targets).toContain("routeql-one-gateway:9090");
  expect(both.map((job) => job.static_configs[0]!.labels)).toContainEqual({ stack: "two", service: "engine" });
});

test("an alert without a series of a service has the stack too", () => {
  expect(parse(prometheusFiles(services, "one", true)["prometheus/prometheus.yml"]!)).toMatchObject({
    global: { external_labels: { stack: "one" } },
  });
});

test("every aggregation of an alert keeps the stack", () => {
  const { groups } = parse(alertRules()) as { groups: { rules: { alert: string; expr: string }[] }[] };
  for (const { alert, expr } of groups.flatMap((group) => group.rules)) {
    expect([alert, expr.match(/\b(?:sum|max|min|avg|count)\s*\(/g)]).toEqual([alert, null]);
    for (const [, labels] of expr.matchAll(/\b(?:by|on) \(([^)]*)\)/g))
      expect([alert, labels]).toEqual([alert, expect.stringMatching(/^stack\b/)]);
  }
});

test("two dashboards have another uid and title, and begin with their stack", () => {
  const long = "a-long-name-of-a-component-with-a-long-name-of-a-stack";
  const uids = ["one", "two", long, `${long}-2`].map((stack) => {
    const { uid, title, templating } = JSON.parse(grafanaDashboard(stack)) as {
      uid: string;
      title: string;
      templating: { list: { name: string; current?: { value: string } }[] };
    };
    expect(title).toContain(stack);
    expect(uid.length).toBeLessThanOrEqual(40);
    expect(templating.list.find(({ name }) => name === "stack")?.current?.value).toBe(stack);
    return uid;
  });
  expect(new Set(uids).size).toBe(4);
});

test("every query of the dashboard is of the chosen stacks", () => {
  const { panels } = JSON.parse(grafanaDashboard("one")) as { panels: { targets?: { expr: string }[] }[] };
  const queries = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
  expect(queries.length).toBeGreaterThan(30);
  for (const query of queries) {
    const selectors = query.match(/(?<![a-z_"])(?:ALERTS|up|[a-z]+_[a-z_]+)\{/g) ?? [];
    expect([query, selectors.length]).toEqual([query, query.split('stack=~"$stack"').length - 1]);
    expect(selectors.length).toBeGreaterThan(0);
  }
});
