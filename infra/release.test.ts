import { expect, test } from "vitest";
import { olderThanStack, release, unknownOrder } from "./release.ts";

const own = { version: "1.2.0", migration: "0009_run_times", build: 40 };

test.each([
  ["a newer version", { version: "1.10.0", migration: "0009_run_times" }],
  ["a newer migration of the same version", { version: "1.2.0", migration: "0010_next" }],
  ["a newer build with the same migrations", { ...own, build: 41 }],
  ["a newer version with an older migration", { version: "2.0.0", migration: "0001_first" }],
])("refuses a stack of %s", (_, recorded) => {
  const { problem, remedy } = olderThanStack("prod", recorded, own)!;
  expect(remedy).toContain(`use a checkout of ${recorded.version}`);
  expect(problem).toContain(
    `The stack prod was deployed by RouteQL ${recorded.version} (${"build" in recorded ? "build 41, " : ""}migration ${recorded.migration})`,
  );
  expect(problem).toContain("this checkout, RouteQL 1.2.0 (build 40, migration 0009_run_times)");
  expect(problem).toContain("Nothing was changed");
});

test.each([
  ["the same release", own],
  ["an older build", { ...own, build: 39 }],
  ["a newer build with older migrations", { version: "1.2.0", migration: "0008_older", build: 41 }],
  ["a release without a build", { version: "1.2.0", migration: "0009_run_times" }],
  ["an older migration", { version: "1.2.0", migration: "0008_older" }],
  ["an older version with a migration of another name", { version: "1.1.9", migration: "0010_next" }],
  ["no record", undefined],
  ["a record of another form", { version: 1 }],
])("accepts a stack of %s", (_, recorded) => {
  expect(olderThanStack("prod", recorded, own)).toBeUndefined();
});

test("a source without history says that it cannot know the order", () => {
  const { build: _, ...unknown } = own;
  expect(olderThanStack("prod", own, unknown)).toBeUndefined();
  expect(unknownOrder("prod", own, unknown)).toEqual([
    expect.stringContaining("older than RouteQL 1.2.0 (build 40, migration 0009_run_times)"),
  ]);
  expect(unknownOrder("prod", own, own)).toEqual([]);
  expect(unknownOrder("prod", undefined, unknown)).toEqual([]);
});

test("this checkout has a version and a newest migration", () => {
  expect(release.version).toMatch(/^\d+\.\d+\.\d+/);
  expect(release.migration).toMatch(/^\d{4}_\w+$/);
});
