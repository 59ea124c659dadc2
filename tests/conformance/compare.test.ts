import { describe, expect, test } from "vitest";
import { compareAnswers } from "./compare.ts";

const request = { query: "{ a { b c { d e } j } }" };
const data = (value: unknown) => ({ data: { a: value } });

describe("data agree", () => {
  test("if they are equal in the same order", () => {
    const answer = data([{ b: 1, c: { d: 1, e: null }, j: { x: 1, y: 2 } }]);
    expect(compareAnswers(request, answer, structuredClone(answer))).toEqual({
      difference: undefined,
      note: undefined,
    });
  });

  test("if only the keys of a json value are in another order", () => {
    expect(
      compareAnswers(request, data([{ b: 1, j: { x: 1, y: 2 } }]), data([{ b: 1, j: { y: 2, x: 1 } }])).difference,
    ).toBeUndefined();
  });
});

test.each([
  ["a value", [{ b: 1 }], [{ b: 2 }], "data.a[0].b: expected 1, found 2"],
  ["a string for a number", [{ b: 1 }], [{ b: "1" }], 'data.a[0].b: expected 1, found "1"'],
  ["the number of rows", [{ b: 1 }], [], "data.a: expected 1 items, found 0"],
  ["a missing key", [{ b: 1, j: 1 }], [{ b: 1 }], "data.a[0].j: is missing"],
  ["a key too many", [{ b: 1 }], [{ b: 1, j: 1 }], "data.a[0].j: is not expected"],
  [
    "the order of selected keys",
    [{ c: { d: 1, e: 2 } }],
    [{ c: { e: 2, d: 1 } }],
    "data.a[0].c: expected the keys d, e in this order, found e, d",
  ],
])("%s makes a difference", (_what, expected, found, difference) => {
  expect(compareAnswers(request, data(expected), data(found)).difference).toBe(difference);
});

describe("errors", () => {
  const error = (code: string, path: string, message: string) => ({
    errors: [{ message, extensions: { code, path } }],
  });

  test("agree by code and path, with a note about a different text", () => {
    expect(compareAnswers(request, error("a", "$", "x"), error("a", "$", "y"))).toEqual({
      difference: undefined,
      note: "expected the text x, found y",
    });
    expect(compareAnswers(request, error("a", "$", "x"), error("a", "$.b", "x")).difference).toContain(
      "expected the error a at $: x",
    );
  });

  test("differ from data", () => {
    expect(compareAnswers(request, data([]), error("a", "$", "x")).difference).toContain(
      "expected an answer, found the error",
    );
    expect(compareAnswers(request, error("a", "$", "x"), data([])).difference).toBeDefined();
  });

  test("in a batch are compared individually", () => {
    expect(compareAnswers([request, request], [data([]), data([])], [data([]), data([1])]).difference).toBe(
      "data.a: expected 0 items, found 1",
    );
  });
});
