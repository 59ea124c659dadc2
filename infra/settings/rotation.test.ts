import { expect, test } from "vitest";
import { withDefaults } from "./reading/complete.ts";
import { generationProblem, generationsOf } from "./rotation.ts";

const defaults = withDefaults({}, "local");
const names = Object.keys(generationsOf(defaults)) as (keyof ReturnType<typeof generationsOf>)[];

test.each(names)("%s rises by one at a time and never falls", (name) => {
  const problemOf = (to: number): string | undefined => generationProblem({ ...defaults, [name]: to }, { [name]: 4 });
  expect(problemOf(4)).toBeUndefined();
  expect(problemOf(5)).toBeUndefined();
  expect(problemOf(6)).toMatch(`${name} is 6, but the stack has generation 4. Raise it by one at a time`);
  expect(problemOf(3)).toMatch(`${name} is 3, but the stack has generation 4.`);
  expect(problemOf(3)).toMatch("Set it to 4 to keep the secret, or to 5 to rotate it.");
});

test("a stack without recorded generations has any generation", () =>
  expect(generationProblem({ ...defaults, tlsGeneration: 7 }, undefined)).toBeUndefined());
