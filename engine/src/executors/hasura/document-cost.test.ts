import { expect, test } from "vitest";
import { defaultCostLimits, defaultSizeLimits } from "../../cost/limits.ts";
import { readOperation } from "../../execution/document/document.ts";
import { checkCost } from "./document-cost.ts";
import { unlimitedRows } from "./metadata-facts.ts";

const limits = {
  ...defaultCostLimits,
  ...defaultSizeLimits,
  arrayRelationships: new Set(["links"]),
  rowLimits: new Map([["viewer", 1_000]]),
};

test.each([
  ["viewer", "{ a { b } }", {}, 1_000],
  ["viewer", "{ a(limit: 10) { b one { c } } c { d } }", {}, 1_010],
  ["viewer", "{ a(limit: 5000) { b } }", {}, 1_000],
  ["viewer", "query($n: Int) { a(limit: 10) { b links(limit: $n) { c } } }", { n: 20 }, 210],
  ["viewer", "{ a(limit: 10) { links { c } } }", {}, 10_010],
  ["viewer", "{ a(limit: 0) { links { c } } }", {}, 0],
  ["admin", "{ a { b } }", {}, unlimitedRows],
  ["viewer", "{ __schema { types { name } } }", {}, 0],
])("%s may get the rows of %s", (role, query, variables, rows) => {
  expect(checkCost(readOperation(query, undefined), variables, role, limits).rows).toBe(rows);
});
