import { expect, test } from "vitest";
import { KnownStatement, KnownStatements } from "./known-statements.ts";

/** Number of 1 ms runs until a statement counts as quicker than 5 ms. */
function runsUntilQuick(statement: KnownStatement): number {
  let runs = 0;
  for (; !statement.isQuickerThan(5); runs += 1) statement.ran(1);
  return runs;
}

test("a statement is quick after some short runs; one long run resets that for some more", () => {
  const statement = new KnownStatement();
  expect(runsUntilQuick(statement)).toBe(19);
  statement.ran(4.9);
  expect(statement.isQuickerThan(5)).toBe(true);
  statement.ran(20);
  expect(statement.isQuickerThan(5)).toBe(false);
  expect(runsUntilQuick(statement)).toBe(5);
});

test("a failure and the longest run count like a first run", () => {
  const statement = new KnownStatement();
  for (const happens of [() => statement.failed(), () => statement.ran(1e9)]) {
    runsUntilQuick(statement);
    happens();
    expect(runsUntilQuick(statement)).toBe(19);
  }
});

test("prepares a statement from its second run on, under its own name", () => {
  const known = new KnownStatements();
  expect(known.of("select 1")).toBeUndefined();
  expect(known.use("select 1").name).toBeUndefined();
  expect(known.of("select 1")?.name).toBeUndefined();
  known.use("select 2");
  expect([known.use("select 1").name, known.use("select 2").name, known.use("select 1").name]).toEqual([
    "rq1",
    "rq2",
    "rq1",
  ]);
});
