import { describe, expect, test } from "vitest";
import { compareExpectations, type Expectations, printExpectations, readExpectations } from "./expectations.ts";

const hijacks = {
  columns: ["key", "prefix"],
  rows: "ignored is false",
  limit: 100,
  operations: ["query", "stream"],
  "goes on to": ["links"],
  "only where": {},
} as const satisfies Expectations["roles"][string]["reads"][string];
const world = (roles: Readonly<Record<string, unknown>>) => ({ roles }) as unknown as Expectations;
const viewer = (change: Readonly<Record<string, unknown>> = {}) =>
  world({ viewer: { reads: { view_hijacks: { ...hijacks, ...change } }, writes: {}, calls: [] } });
const words = (before: Expectations, now: Expectations) => compareExpectations(before, now).map(({ reason }) => reason);

test("reads the written file without a change", () => {
  const all = world({
    nobody: { reads: {}, writes: {}, calls: [] },
    viewer: {
      reads: { view_hijacks: { ...hijacks, "only where": { key: "a is 1" } } },
      writes: { "update view_hijacks": { columns: ["seen"], rows: "every row", sets: { by: "X-Hasura-User-Id" } } },
      calls: ["search"],
    },
  });
  expect(readExpectations(printExpectations(all), "file.yaml")).toEqual(all);
  expect(words(all, all)).toEqual([]);
});

describe("reports differences in words", () => {
  test.each([
    ["a column", viewer({ columns: ["comment", "key", "prefix"] }), ["role viewer can now read view_hijacks.comment"]],
    ["a column less", viewer({ columns: ["key"] }), ["role viewer can no longer read view_hijacks.prefix"]],
    [
      "rows",
      viewer({ rows: "every row" }),
      ["role viewer may now read rows of view_hijacks: every row; expected: ignored is false"],
    ],
    [
      "a limit",
      viewer({ limit: "none" }),
      ["role viewer may now read at once of view_hijacks: any number of rows; expected: at most 100 rows"],
    ],
    [
      "an operation",
      viewer({ operations: ["query", "live query", "stream"] }),
      ["role viewer can now query view_hijacks by live query"],
    ],
    ["a relationship", viewer({ "goes on to": [] }), ["role viewer can no longer follow view_hijacks.links"]],
    [
      "cells",
      viewer({ "only where": { key: "a is 1" } }),
      ["role viewer may now read view_hijacks.key only where: a is 1; expected: the row is served"],
    ],
    ["a role", world({}), ["the role viewer is gone", "role viewer can no longer read view_hijacks"]],
  ])("%s", (_what, now, reasons) => expect(words(viewer(), now)).toEqual(reasons));

  const writer = (entry?: object) =>
    world({ viewer: { reads: {}, writes: entry === undefined ? {} : { "update note": entry }, calls: [] } });
  const seen = { columns: ["seen"], rows: "owner is x-hasura-user-id" };
  test.each([
    ["a new write", undefined, seen, "can now update note (columns seen; rows: owner is x-hasura-user-id)"],
    ["a write less", seen, undefined, "can no longer update note"],
    [
      "a dropped check",
      { ...seen, check: "size is 1" },
      seen,
      "may now update note: columns seen; rows: owner is x-hasura-user-id; expected: columns seen; rows: owner is x-hasura-user-id; new rows: size is 1",
    ],
    [
      "a lost preset and backend_only",
      { columns: [], sets: { owner: "X-Hasura-User-Id" }, "backend only": true },
      { columns: ["owner"] },
      'may now update note: columns owner; expected: sets owner = "X-Hasura-User-Id"; backend only',
    ],
  ])("%s", (_what, before, now, reason) =>
    expect(words(writer(before), writer(now))).toEqual([`role viewer ${reason}`]),
  );

  test("reports a new role with its tables and functions", () => {
    expect(
      words(world({}), world({ guest: { reads: { view_hijacks: hijacks }, writes: {}, calls: ["search"] } })),
    ).toEqual([
      "there is a new role guest",
      "role guest can now read view_hijacks: key, prefix (rows: ignored is false)",
      "role guest can now call search",
    ]);
  });
});

test.each([
  ["no YAML", "roles: [", "file.yaml:1: "],
  ["an unknown key", "roles: {viewer: {rights: {}}}", 'file.yaml: roles.viewer: Unrecognized key: "rights"'],
  [
    "an unknown operation",
    "roles: {viewer: {reads: {a: {columns: [], rows: x, limit: 1, operations: [fly]}}}}",
    "roles.viewer.reads.a.operations.0",
  ],
])("a file with %s is refused", (_what, text, reason) => {
  expect(() => readExpectations(text, "file.yaml")).toThrow(reason);
});
