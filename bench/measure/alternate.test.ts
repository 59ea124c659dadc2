import { expect, test } from "vitest";
import { alternate } from "./alternate.ts";

test("every contender is measured once a round, every other round in reverse", () => {
  expect(alternate(["a", "b", "c"], 3)).toEqual([
    ["a", "b", "c"],
    ["c", "b", "a"],
    ["a", "b", "c"],
  ]);
});
