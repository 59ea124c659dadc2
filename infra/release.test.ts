import { expect, test } from "vitest";
import { olderThanStack, release } from "./release.ts";

const own = { version: "1.2.0", migration: "0009_run_times" };

test.each([
  ["a newer version", { version: "1.10.0", migration: "0009_run_times" }],
  ["a newer migration of the same version", { version: "1.2.0", migration: "0010_next" }],
  ["a newer version with an older migration", { version: "2.0.0", migration: "0001_first" }],
])("refuses a stack of %s", (_, recorded) => {
  const { problem, remedy } = olderThanStack("prod", recorded, own)!;
  expect(remedy).toContain(`use a checkout of ${recorded.version}`);
  expect(problem).toContain(
    `The stack prod was deployed by RouteQL ${recorded.version} (migration ${recorded.migration})`,
  );
  expect(problem).toContain("this checkout, RouteQL 1.2.0 (migration 0009_run_times)");
  expect(problem).toContain("Nothing was changed");
});

test.each([
  ["the same release", own],
  ["an older migration", { version: "1.2.0", migration: "0008_older" }],
  ["an older version with a migration of another name", { version: "1.1.9", migration: "0010_next" }],
  ["no record", undefined],
  ["a record of another form", { version: 1 }],
])("accepts a stack of %s", (_, recorded) => {
  expect(olderThanStack("prod", recorded, own)).toBeUndefined();
});

test("this checkout has a version and a newest migration", () => {
  expect(release.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(release.migration).toMatch(/^\d{4}_\w+$/);
});
