import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { mutations } from "./list.ts";
import { mutated } from "./mutation.ts";

const repository = resolve(import.meta.dirname, "../..");

test("lists at least thirty different faults", () => {
  expect(mutations.length).toBeGreaterThanOrEqual(30);
  expect(new Set(mutations.map(({ fault }) => fault)).size).toBe(mutations.length);
});

test.each(mutations)("$fault: its source text and its test files exist", (mutation) => {
  expect(() => mutated(mutation, readFileSync(join(repository, mutation.file), "utf8"))).not.toThrow();
  for (const file of mutation.tests) expect(existsSync(join(repository, file)), file).toBe(true);
});

describe("a mutation", () => {
  const change = (from: string, to: string) => mutated({ file: "a.ts", edits: [{ from, to }] }, "one two two");

  test("changes the only occurrence", () => {
    expect(change("one", "$& three")).toBe("$& three two two");
  });

  test("rejects a text that is absent or repeated, and an edit without effect", () => {
    expect(() => change("four", "five")).toThrow('a.ts: "four" is there 0 times instead of once');
    expect(() => change("two", "five")).toThrow('a.ts: "two" is there 2 times instead of once');
    expect(() => change("one", "one")).toThrow("a.ts: the mutation changes nothing");
  });
});
