import { expect, test } from "vitest";
import { library, plan, stateOf } from "../../testing/world.ts";
import { heldBy } from "../../testing/growth.ts";
import { readOperation } from "../document/document.ts";
import { PlanCache } from "./plan-cache.ts";
import { preparePlan } from "./prepared-plan.ts";

const state = await stateOf(library);

/** Parses and plans a document like the engine. */
function use(cache: PlanCache, text: string): void {
  const cached = cache.operation(text, () => readOperation(text, null));
  cache.plan(cached, {}, () => preparePlan(plan(state, "admin", text)));
}

test("keeps an operation only after planning", () => {
  const cache = new PlanCache(10);
  let reads = 0;
  const read = (text: string) => cache.operation(text, () => ((reads += 1), readOperation(text, null)));
  for (let round = 0; round < 2; round += 1)
    for (const text of ["{ nothing }", "{ neither }"]) expect(() => use(cache, text)).toThrow("not found in type");
  for (let round = 0; round < 2; round += 1) for (const text of ["{ nothing }", "{ neither }"]) read(text);
  expect(reads).toBe(4);
  use(cache, "{ author { id } }");
  read("{ neither }");
  read("{ author { id } }");
  expect(reads).toBe(5);
});

const largeDocuments: readonly (readonly [string, (index: number) => string])[] = [
  [
    "fields",
    (index) => `query a${index} { author { ${Array.from({ length: 900 }, (_item, at) => `a${at}: id`).join(" ")} } }`,
  ],
  ["values", (index) => `query b${index} { author(where: {id: {_in: [${"1 ".repeat(19_000)}]}}) { id } }`],
  ["conditions", (index) => `query c${index} { author(where: {_or: [${"{id: {_eq: 1}} ".repeat(1_900)}]}) { id } }`],
  [
    "parameters",
    (index) =>
      `query d${index} { author(where: {_or: [${Array.from({ length: 1_900 }, (_item, at) => `{id: {_eq: ${at}}}`).join(" ")}]}) { id } }`,
  ],
  [
    "unused fragments",
    (index) =>
      `query e${index} { author { id } } ${Array.from({ length: 2_500 }, (_item, at) => `fragment f${at} on a { b }`).join(" ")}`,
  ],
];

test.each(largeDocuments)("never exceeds its byte limit, with documents of many %s", (_title, text) => {
  const cache = new PlanCache(1_000);
  const held = heldBy(() => {
    for (let index = 0; index < 60; index += 1) use(cache, text(index));
  });
  expect(cache.statistics.size).toBeGreaterThan(0);
  expect(held).toBeLessThan(50_000_000);
});
