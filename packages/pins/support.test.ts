import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { type Pin, pins, type ProgramPin, programs } from "./pins.ts";
import { pinProblems, programProblems } from "./support.ts";

const pin = (changes: Partial<Pin>): Pin => ({ ...pins.nginx, ...changes });
const today = new Date("2026-11-22");

test("the pins of this revision are supported on the day of their last review", () => {
  for (const each of Object.values<Pin>(pins)) expect(pinProblems(new Date(each.reviewed), [each])).toEqual([]);
});

test("reports a pin whose support ends within 90 days", () => {
  expect(pinProblems(today, [pin({ supportedUntil: "2027-02-20" })])).toEqual([
    expect.stringContaining("support ends on 2027-02-20"),
  ]);
  expect(pinProblems(today, [pin({ supportedUntil: "2026-11-01" })])).toEqual([
    expect.stringContaining("support ended on 2026-11-01"),
  ]);
  expect(pinProblems(today, [pin({ supportedUntil: "2027-02-21" })])).toEqual([]);
});

test("reports a pin with a published advisory", () => {
  expect(pinProblems(today, [pin({ image: "hasura/graphql-engine:v2.49.1" })])).toEqual([
    expect.stringContaining("CVE-2026-54698"),
  ]);
});

test("reports a program whose support ends, and none without a date", () => {
  const program: ProgramPin = { ...programs.pulumi, supportedUntil: "2027-01-01" };
  expect(programProblems(today, [program])).toEqual([
    expect.stringMatching(/^Pulumi CLI .*: support ends on 2027-01-01/),
  ]);
  expect(programProblems(today, [programs.pulumi])).toEqual([]);
});

test("the pinned programs are those that the packages and the cluster of the tests name", () => {
  const read = (path: string): string => readFileSync(resolve(import.meta.dirname, "../..", path), "utf8");
  const { dependencies } = JSON.parse(read("cli/package.json")) as { dependencies: Record<string, string> };
  expect(dependencies["@pulumi/pulumi"]).toBe(programs.pulumi.version);
  expect(read("offline/pulumi-cli/go.mod")).toContain(
    `github.com/pulumi/pulumi/pkg/v3 v${programs.pulumiFromSource.version}`,
  );
  expect(read("tests/kubernetes-node/modules/kubernetes/go.mod")).toContain(
    `k8s.io/kubernetes v${programs.kubernetes.version}`,
  );
  expect(read("tests/kubernetes-node/modules/definitions/go.mod")).toContain(
    `cloudnative-pg v${programs.cloudNativePg.version}`,
  );
});

test("Renovate finds every pin", () => {
  const root = resolve(import.meta.dirname, "../..");
  interface Manager {
    readonly managerFilePatterns: readonly string[];
    readonly matchStrings: readonly string[];
  }
  const { customManagers } = JSON.parse(readFileSync(resolve(root, "renovate.json"), "utf8")) as {
    customManagers: readonly Manager[];
  };
  const manager = customManagers.find(({ managerFilePatterns: [pattern = ""] }) =>
    new RegExp(pattern.slice(1, -1)).test("packages/pins/pins.ts"),
  );
  const text = readFileSync(resolve(import.meta.dirname, "pins.ts"), "utf8");
  const found = [...text.matchAll(new RegExp(manager?.matchStrings[0] ?? "(?!)", "g"))].map(
    ({ groups }) => `${groups?.["depName"]}:${groups?.["currentValue"]}`,
  );
  expect(found).toEqual(Object.values<Pin>(pins).map(({ image }) => image.replace(/@.*/, "")));
});
