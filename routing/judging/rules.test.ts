import { describe, expect, test } from "vitest";
import { cleanPath } from "./clean-path.ts";
import { annotate, hijackTypes, judge, originRule, PreparedRule, type Rule } from "./rules.ts";

const rule = (changes: Partial<Rule> = {}): Rule => ({
  ...originRule("rule 1", [1]),
  moreSpecifics: "hijack",
  ...changes,
});

const of = (changes: Partial<Rule>, path: number[], isMoreSpecific = false) =>
  judge([new PreparedRule(rule(changes))], path, isMoreSpecific);

const leak = { noExport: true };
const neighbours = { neighbours: [2] };

test.each([
  [
    [4, 3, 2, 1],
    [4, 3, 2, 1],
  ],
  [
    [4, 3, 2, 1, 1, 1],
    [4, 3, 2, 1],
  ],
  [
    [4, 4, 3, 2, 1],
    [4, 3, 2, 1],
  ],
  [
    [4, 3, 2, 1, 3, 2, 1],
    [4, 3, 2, 1],
  ],
  [
    [5, 2, 4, 2, 1],
    [5, 2, 1],
  ],
  [[1, 3, 2, 1], [1]],
  [[], []],
])("the path %j is %j without prepends and loops", (path, cleaned) => {
  expect(cleanPath(path)).toEqual(cleaned);
});

describe("an announcement is", () => {
  test.each<[string, Partial<Rule>, number[], boolean, number]>([
    ["S|0|-|-", {}, [4, 3, 2, 100], true, 100],
    ["S|0|-|L", leak, [4, 3, 2, 100], true, 100],
    ["S|1|-|-", neighbours, [4, 3, 200, 1], true, 200],
    ["S|1|-|L", { ...neighbours, ...leak }, [4, 3, 200, 1], true, 200],
    ["S|P|-|-", { prepends: [[3, 2]] }, [4, 9, 2, 1], true, 9],
    ["S|-|-|-", {}, [4, 3, 2, 1], true, -1],
    ["S|-|-|L", leak, [4, 3, 2, 1], true, 2],
    ["E|0|-|-", {}, [4, 3, 2, 100], false, 100],
    ["E|0|-|L", leak, [4, 3, 2, 100], false, 100],
    ["E|1|-|-", neighbours, [4, 3, 200, 1], false, 200],
    ["E|1|-|L", { ...neighbours, ...leak }, [4, 3, 200, 1], false, 200],
    ["E|P|-|-", { prepends: [[3, 2]] }, [4, 3, 9, 1], false, 9],
    ["E|-|-|L", leak, [4, 3, 2, 1], false, 2],
    ["Q|0|-|-", { origins: [] }, [4, 3, 2, 1], false, 1],
    ["Q|0|-|L", { origins: [], ...leak }, [4, 3, 2, 1], true, 1],
  ])("%s", (type, changes, path, isMoreSpecific, hijacker) => {
    expect(hijackTypes).toContain(type);
    expect(of(changes, path, isMoreSpecific)).toMatchObject({ type, hijacker, rule: "rule 1" });
  });

  test.each<[string, Partial<Rule>, number[], boolean]>([
    ["of a listed origin", {}, [4, 3, 2, 1], false],
    ["of any origin", { origins: "*" }, [4, 3, 2, 100], false],
    ["of an origin in a range", { origins: [[1, 9]] }, [4, 5], false],
    ["by a listed neighbour", neighbours, [4, 2, 1], false],
    ["of the origin itself", neighbours, [1], false],
    ["by any neighbour", { neighbours: "*" }, [4, 9, 1], false],
    ["of a path too short to leak", leak, [3, 2, 1], false],
    ["of a path that is short without its prepends", leak, [3, 2, 1, 1, 1], false],
    ["of an exact prefix without a path", {}, [], false],
    ["of the configured sequence", { prepends: [[3, 2]] }, [4, 3, 2, 1], false],
    ["of one of several sequences", { prepends: [[9], [1, 1]] }, [4, 1, 1, 1], false],
    // a type that is not listed: P and L
    ["of a broken sequence that leaks", { prepends: [[9]], ...leak }, [4, 3, 2, 1], false],
    ["of a more specific prefix where these are allowed", { moreSpecifics: "allowed" }, [4, 100], true],
    ["of a more specific prefix by an allowed origin", { moreSpecifics: "origins" }, [4, 1], true],
  ])("benign: one %s", (_, changes, path, isMoreSpecific) => {
    expect(of(changes, path, isMoreSpecific)).toBeUndefined();
  });
});

test("compares sequences as announced, and names the first AS that breaks the best one", () => {
  expect(of({ prepends: [[7, 1, 1]] }, [4, 7, 1, 1, 1])).toBeUndefined();
  expect(of({ prepends: [[7, 1, 1]] }, [4, 7, 1, 1])).toMatchObject({ type: "E|P|-|-", hijacker: 7 });
  expect(
    of(
      {
        prepends: [
          [7, 8, 9],
          [5, 9],
        ],
      },
      [4, 6, 8, 9, 1],
    ),
  ).toMatchObject({ hijacker: 6 });
  expect(of({ prepends: [[7, 8, 9]] }, [4, 1])).toMatchObject({ hijacker: 4 });
});

test.each<[Partial<Rule>, number[], boolean, number[]]>([
  [{}, [4, 3, 2, 100], false, [4, 3, 2]],
  [{}, [4, 4, 3, 2, 100, 100], false, [4, 3, 2]],
  [neighbours, [4, 3, 200, 1], false, [4, 3]],
  [leak, [4, 3, 2, 1], false, [4, 3]],
  [{}, [4, 3, 2, 1], true, [4]],
  [{}, [2, 1], true, []],
  [{ prepends: [[3, 2]] }, [4, 9, 2, 1], false, [4]],
])("%j: the path %j infects %j", (changes, path, isMoreSpecific, infected) => {
  expect(of(changes, path, isMoreSpecific)?.infected).toEqual(infected);
});

test("a benign rule ends the evaluation, else the last rule stands", () => {
  const all = (...rules: Partial<Rule>[]) =>
    judge(
      rules.map((changes, index) => new PreparedRule(rule({ name: `rule ${index}`, ...changes }))),
      [4, 3, 2, 1],
      false,
    );
  expect(all({ origins: [5] }, { neighbours: [9] })).toMatchObject({ type: "E|1|-|-", rule: "rule 1" });
  expect(all({ neighbours: [9] }, { origins: [5] })).toMatchObject({ type: "E|0|-|-", rule: "rule 1" });
  expect(all({ origins: [5] }, {}, { origins: [6] })).toBeUndefined();
  expect(all()).toBeUndefined();
});

test("annotations only rise", () => {
  const rules = [
    new PreparedRule(
      rule({
        annotations: [
          {
            name: "critical",
            conditions: [
              { in: ["1:1", "1:2"], out: ["1:3"] },
              { in: ["1:9"], out: [] },
            ],
          },
          { name: "low", conditions: [{ in: ["1:4"], out: [] }] },
        ],
      }),
    ),
  ];
  const after = (current: string, ...communities: string[]) => annotate(current, rules, new Set(communities));
  expect(after("NA")).toBe("NA");
  expect(after("NA", "1:4")).toBe("low");
  expect(after("low", "1:1", "1:2")).toBe("critical");
  expect(after("low", "1:1", "1:2", "1:3")).toBe("low");
  expect(after("low", "1:9")).toBe("critical");
  expect(after("critical", "1:4")).toBe("critical");
  expect(after("written by an operator", "1:4")).toBe("written by an operator");
});

test("a rule that does not list the annotation leaves it to the next rule", () => {
  const condition = [{ in: ["1:1"], out: [] }];
  const rules = [
    [{ name: "medium", conditions: condition }],
    [
      { name: "critical", conditions: condition },
      { name: "low", conditions: [] },
    ],
  ].map((annotations) => new PreparedRule(rule({ annotations })));
  expect(annotate("low", rules, new Set(["1:1"]))).toBe("critical");
});
