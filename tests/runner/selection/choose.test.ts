import { expect, test } from "vitest";
import { suites, suitesOf } from "../suites.ts";
import { choose, inLines, type State } from "./choose.ts";
import { suiteInputs } from "./inputs.ts";
import type { Objects } from "./tree.ts";

const now = new Date("2026-12-05T12:00:00Z");
const inputsOf = (suite: string): Objects =>
  Object.fromEntries(suiteInputs[suite]!.inputs.map((path) => [path, `object of ${path}`]));
const recorded =
  (date: string): State["recordOf"] =>
  (suite) => ({ date, passed: 1, seconds: 120, inputs: inputsOf(suite) });
const all = suitesOf("test:all");
const state = { inputsOf, recordOf: recorded("2026-12-01T00:00:00Z"), now };
const always = [...suitesOf("test").map(({ name }) => name), "secrets"];

/** Suites beside those that always run, if the inputs at or below these paths differ from the records. */
function changedBy(...changed: readonly string[]): readonly string[] {
  const touched = (path: string): boolean =>
    changed.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`));
  const now = (suite: string): Objects =>
    Object.fromEntries(Object.entries(inputsOf(suite)).map(([path, id]) => [path, touched(path) ? `new ${id}` : id]));
  return choose(all, { ...state, inputsOf: now })
    .filter(({ runs, suite }) => runs && !always.includes(suite.name))
    .map(({ suite }) => suite.name);
}

test("without a change only the suites of npm test run, and the search of the run", () => {
  expect(changedBy()).toEqual([]);
  const chosen = choose(all, state).filter(({ runs }) => runs);
  expect(chosen.map(({ suite }) => suite.name)).toEqual(always);
});

test("without records every suite runs", () => {
  const chosen = choose(all, { ...state, recordOf: () => undefined });
  expect(chosen.every(({ runs }) => runs)).toBe(true);
  expect(chosen.find(({ suite }) => suite.name === "faults")?.reason).toBe("has no record");
});

test.each([
  ["a page", ["docs/design/faults.md"], ["site"]],
  ["a page whose commands are typed", ["docs/operate/tls.md"], ["operate", "site"]],
  ["the sidecar", ["auth-sidecar/src/errors.ts"], ["auth-sidecar", "faults", "hostile"]],
  ["a text of an error", ["packages/contract/error-codes.ts"], ["auth-sidecar", "faults", "hostile", "gateway"]],
  ["the engine", ["engine/src/sql/print.ts"], ["faults", "hostile", "engine", "checker"]],
  [
    "a check of tokens",
    ["engine/src/auth/token-verifier.ts"],
    ["auth-sidecar", "faults", "hostile", "engine", "checker"],
  ],
  ["the checker", ["hasura-checks/src/rules/check.ts"], ["checker"]],
  ["a command", ["cli/main.ts"], ["operate", "kubernetes", "updates", "pulumi", "local"]],
  ["the schema command", ["cli/commands/schema.ts"], ["operate", "kubernetes", "updates", "pulumi", "local", "engine"]],
  ["an alert", ["infra/monitoring/alerts.yml"], ["operate", "kubernetes", "faults", "updates", "pulumi", "local"]],
  ["the status", ["cli/status/report.ts"], ["operate", "kubernetes", "faults", "updates", "pulumi", "local"]],
  ["an image", ["images/feed/Dockerfile"], ["operate", "kubernetes", "faults", "updates", "pulumi", "local"]],
  ["the gateway", ["nginx/configuration/start.sh"], ["kubernetes", "faults", "hostile", "gateway"]],
  ["a migration", ["database/migrations/0001_schema.sql"], ["database", "auth-sidecar", "updates", "pulumi"]],
  [
    "a permission",
    ["hasura-metadata/databases/default/tables/public_view_hijacks.yaml"],
    ["database", "faults", "updates", "hostile", "engine"],
  ],
  ["the program", ["infra/components/routeql.ts"], ["operate", "kubernetes", "updates", "pulumi", "local"]],
  ["a test of one suite", ["tests/local/monitoring.test.ts"], ["local"]],
  [
    "a shared setting of the sidecar",
    ["packages/sidecar-settings/numbers.ts"],
    ["operate", "auth-sidecar", "kubernetes", "faults", "updates", "pulumi", "hostile", "local"],
  ],
  [
    "a meaning of a setting of the sidecar",
    ["packages/sidecar-settings/group-roles.ts"],
    ["operate", "auth-sidecar", "kubernetes", "faults", "pulumi", "hostile", "local"],
  ],
  [
    "a service that clients do not reach",
    ["infra/services/sessions.ts"],
    ["operate", "kubernetes", "faults", "updates", "pulumi", "hostile"],
  ],
  [
    "the containers on Docker",
    ["infra/targets/docker/container.ts"],
    ["operate", "faults", "updates", "pulumi", "hostile", "local"],
  ],
  ["the pods on Kubernetes", ["infra/targets/kubernetes/pod.ts"], ["kubernetes", "local"]],
  ["a command on Kubernetes", ["cli/kubernetes/pods.ts"], ["kubernetes"]],
  [
    "a description of the gateway",
    ["infra/services/gateway.ts"],
    ["operate", "kubernetes", "faults", "updates", "hostile", "gateway"],
  ],
  ["a tool of the kit", ["packages/host/failure.ts"], ["operate", "kubernetes", "updates", "pulumi", "local"]],
  [
    "the job migrate",
    ["database/migrate/main.ts"],
    ["database", "auth-sidecar", "kubernetes", "updates", "pulumi", "local"],
  ],
  [
    "a service that is not attacked",
    ["infra/services/monitoring.ts"],
    ["operate", "kubernetes", "faults", "updates", "local"],
  ],
  [
    "a step of a restore",
    ["database/restore/carry-over.sql"],
    ["operate", "database", "kubernetes", "updates", "pulumi"],
  ],
])("a change of %s runs the suites that exercise it", (_, paths, expected) => {
  expect(changedBy(...paths)).toEqual(expected);
});

test("the locked packages are an input of every suite", () => {
  expect(changedBy("package-lock.json")).toEqual(all.map(({ name }) => name).filter((name) => !always.includes(name)));
});

test.each([
  ["2026-11-25T11:00:00Z", true, "its record of 2026-11-25 is older than 10 days"],
  ["2026-11-26T11:00:00Z", false, "passed on 2026-11-26 with the same inputs"],
  ["2026-12-16T11:00:00Z", true, "its record of 2026-12-16 is older than 10 days"],
])("a record of %s decides by its age", (date, runs, reason) => {
  const [choice] = choose(
    suites.filter(({ name }) => name === "gateway"),
    { ...state, recordOf: recorded(date) },
  );
  expect(choice).toMatchObject({ runs, reason });
});

test("the reason names the changed inputs, new and removed ones too", () => {
  const gateway = suites.filter(({ name }) => name === "gateway");
  const { nginx: _, ...others } = inputsOf("gateway");
  const choices = choose(gateway, { ...state, inputsOf: () => ({ ...others, console: "other", added: "new" }) });
  expect(inLines(choices, 2)).toBe(
    "  gateway       runs   changed since 2026-12-01: added, console, nginx\n" +
      "  beside npm test about 2 min, by the records of the last successes",
  );
});

test("without git a suite runs", () => {
  const [choice] = choose(
    suites.filter(({ name }) => name === "site"),
    { ...state, inputsOf: () => undefined },
  );
  expect(choice).toMatchObject({ runs: true, reason: "git cannot read its inputs" });
});
