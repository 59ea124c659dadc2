import { expect, test } from "vitest";
import { withDefaults } from "./settings/reading/complete.ts";
import { release } from "./release.ts";
import { stackWarnings, unsavedDataWarning } from "./stack-warnings.ts";

test("warns of secrets in plain text without quoting them, and of nothing else in the file", () => {
  const [warning = "", ...others] = stackWarnings(withDefaults({ engineAccessKey: "k".repeat(40) }, "site"), "site", [
    "publicHost",
    "engineAccessKey",
    "environmentFile",
  ]);
  expect(others).toEqual([]);
  expect(warning).toMatch(/^Pulumi\.site\.yaml has secrets in plain text: engineAccessKey\. /);
  expect(warning).not.toContain("kkkk");
});

test("warns of a database on the official image, which has no archive", () => {
  const of = (stack: string, given = {}) => stackWarnings(withDefaults(given, stack), stack, []);
  expect(of("dev")).toEqual([expect.stringContaining("has no archive")]);
  expect(of("dev", { archive: false })).toEqual([]);
  expect(of("dev", { database: "external" })).toEqual([]);
  expect(of("site")).toEqual([]);
});

test("warns of a database on Kubernetes without an archive", () => {
  const of = (given: object) => stackWarnings(withDefaults({ target: "kubernetes", ...given }, "prod"), "prod", []);
  expect(of({})).toEqual([expect.stringContaining("has no archive")]);
  expect(of({ archive: false })).toEqual([]);
  expect(of({ database: "cloudnative-pg" })).toHaveLength(1);
  expect(of({ database: "cloudnative-pg", backupDestination: "s3://backups/routes" })).toEqual([]);
  expect(of({ database: "external" })).toEqual([]);
});

test("warns of new migrations of a running stack, with the command for a backup", async () => {
  const of = (before: object, given = {}, moves = false) =>
    unsavedDataWarning(withDefaults(given, "site"), "site", { ...before }, () => Promise.resolve(moves));
  const older = { services: [], release: { ...release, migration: "0001" } };
  const dump = [expect.stringContaining("npm run backup -- --stack site --to FILE")];
  expect(await of(older)).toEqual(dump);
  expect(await of({ services: [] })).toHaveLength(1);
  const archived = { ...older, services: [{ service: "archive" }] };
  expect(await of(archived)).toEqual([expect.stringMatching(/npm run restore -- --stack site --to-time 20\d\d-/)]);
  expect(await of(archived, {}, true)).toEqual(dump);
  expect(await of(archived, { archive: false })).toEqual(dump);
  expect(await of({ services: [], release })).toEqual([]);
  expect(await of({})).toEqual([]);
  expect(await of(older, { backupBeforeUpdate: false })).toEqual([]);
});

test("names settings of Docker that have no effect on Kubernetes", () => {
  const given = { archiveDirectory: "/srv/archive", hostAddress: "0.0.0.0", archive: false } as const;
  expect(stackWarnings(withDefaults({ ...given, target: "kubernetes" }, "prod"), "prod", [])).toEqual([
    "On Kubernetes these settings have no effect: HOST_ADDRESS, ARCHIVE_DIRECTORY. Remove them.",
  ]);
  expect(stackWarnings(withDefaults(given, "site"), "site", [])).toEqual([]);
});
