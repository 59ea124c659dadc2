import { visit } from "graphql";
import { expect, test } from "vitest";
import { defaultCostLimits } from "../../cost/limits.ts";
import { library, stateOf } from "../../testing/world.ts";
import { readOperation } from "./document.ts";
import { QueryPlanner } from "../plan/plan.ts";
import { Variables } from "./variables.ts";

test("compares the arguments of a field once, whether its fragment is spread twice or 100 times", async () => {
  const state = await stateOf(library);
  const looksAt = (spreads: number): number => {
    const fields = "articles(where: {id: {_in: [1, 2, 3]}}) { id }";
    const operation = readOperation(
      `{ author { ${"...F ...G ".repeat(spreads)} } } fragment F on author { ${fields} } fragment G on author { ${fields} }`,
      null,
    );
    let looks = 0;
    for (const fragment of operation.fragments.values()) {
      visit(fragment, {
        Field(node) {
          const { arguments: given } = node;
          Object.defineProperty(node, "arguments", { get: () => ((looks += 1), given) });
        },
      });
    }
    const limits = {
      ...defaultCostLimits,
      maxDepth: 20,
      maxBreadth: 0,
      stringifyNumericTypes: false,
      collapseNullComparisons: false,
      introspection: true,
      role: "admin",
    };
    new QueryPlanner(state.schema("admin"), operation, new Variables(operation, {}, new Set()), limits).query();
    return looks;
  };
  expect(looksAt(2)).toBeGreaterThan(0);
  expect(looksAt(100)).toBe(looksAt(2));
});
