import { expect, test } from "vitest";
import { judge } from "./judge.ts";
import { outcomeOf } from "./run-tests.ts";

const mutation = { noticedBy: "no column is shown" };
const outcome = { ran: 3, failed: [], broken: [] };

test("a fault is noticed by an assertion of the named test", () => {
  const failed = [{ title: "roles: no column is shown twice", message: "AssertionError: expected 3 to be 2" }];
  expect(judge(mutation, { ...outcome, failed })).toEqual({
    kind: "noticed",
    reason: "roles: no column is shown twice",
  });
});

test("a refuted property also notices a fault", () => {
  const failed = [
    { title: "no column is shown", message: "Error: Property failed after 1 tests\n{ seed: 1 }\nCounterexample: [1]" },
  ];
  expect(judge(mutation, { ...outcome, failed }).kind).toBe("noticed");
});

test("a fault survives if every test passes", () => {
  expect(judge(mutation, outcome)).toEqual({ kind: "survived", reason: "3 tests are green" });
});

test.each([
  ["another test fails", [{ title: "something else", message: "AssertionError: expected 1 to be 2" }], []],
  [
    "the right test crashes",
    [{ title: "no column is shown", message: "ReferenceError: x is not defined\n expected" }],
    [],
  ],
  ["the file cannot be loaded", [], ["a.test.ts: SyntaxError: unexpected token"]],
])("the result is astray if %s", (_, failed, broken) => {
  expect(judge(mutation, { ran: 1, failed, broken }).kind).toBe("astray");
});

test("a report's file that failed without a failed test is broken", () => {
  const report = {
    testResults: [
      { name: "a.test.ts", message: "Failed to load", assertionResults: [] },
      {
        name: "b.test.ts",
        message: "",
        assertionResults: [
          { fullName: "b", status: "passed" },
          { fullName: "c", status: "failed", failureMessages: ["AssertionError"] },
        ],
      },
    ],
  };
  expect(outcomeOf(report)).toEqual({
    ran: 2,
    failed: [{ title: "c", message: "AssertionError" }],
    broken: ["a.test.ts: Failed to load"],
  });
});
