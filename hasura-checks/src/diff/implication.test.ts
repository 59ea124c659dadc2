import { expect, test } from "vitest";
import { readProject } from "../metadata/project.ts";
import { MetadataFolder, tableFile } from "../testing/tool.ts";
import { isFields } from "../metadata/conditions.ts";
import { formulaOf, rowsAt } from "./formula.ts";
import { changedParts } from "./formula-words.ts";
import { orderOf } from "./implication.ts";

type Condition = Readonly<Record<string, unknown>>;

using folder = new MetadataFolder([
  tableFile(
    "note",
    "columns: [id]\nfilter: {}",
    "object_relationships:\n  - {name: author, using: {foreign_key_constraint_on: author_id}}\narray_relationships:\n  - {name: tags, using: {foreign_key_constraint_on: {table: note, column: parent_id}}}\n",
  ),
]);
const project = readProject("metadata", folder.path);
const scope = rowsAt({ project, metadata: project.metadata! }, ["sources", 0, "tables", 0]);
const order = (old: Condition, now: Condition) => orderOf(formulaOf(old, scope), formulaOf(now, scope));

const mine = { owner: { _eq: "X-Hasura-User-Id" } };
const other = { open: { _eq: true } };

test.each<readonly [string, Condition, Condition]>([
  ["in an _and", mine, { _and: [mine] }],
  ["with an empty _and", mine, { _and: [mine, {}] }],
  ["with the variable in other case", mine, { owner: { _eq: "x-hasura-USER-id" } }],
  ["in the short form", mine, { owner: "X-Hasura-User-Id" }],
  ["with the older operator", mine, { owner: { $eq: "X-Hasura-User-Id" } }],
  ["negated twice", mine, { _not: { _not: mine } }],
  ["in another order", { ...mine, ...other }, { _and: [other, mine] }],
  ["with a list in place of alternatives", { id: { _in: [1, 2] } }, { _or: [{ id: { _eq: 2 } }, { id: 1 }] }],
  ["with the complement of an operator", { id: { _nin: [1, 2] } }, { _not: { id: { _in: [2, 1] } } }],
  ["by the laws of De Morgan", { _not: { _or: [mine, other] } }, { _and: [{ _not: mine }, { _not: other }] }],
  ["with a boolean that is not the other", { open: { _neq: false } }, other],
  [
    "with conditions of one related row together",
    { author: { ...mine, ...other } },
    { _and: [{ author: mine }, { author: other }] },
  ],
  [
    "with alternatives inside of a relationship",
    { _or: [{ tags: mine }, { tags: other }] },
    { tags: { _or: [mine, other] } },
  ],
  ["with columns compared from the other side", { id: { _clt: "rank" } }, { rank: { _cgt: ["$", "id"] } }],
  ["with an alternative that another one contains", mine, { _or: [mine, { ...mine, ...other }] }],
])("is the same condition %s", (_what, old, now) => {
  expect(order(old, now)).toBe("same");
  expect(order(now, old)).toBe("same");
});

test.each<readonly [string, Condition, Condition]>([
  ["a further condition", mine, { ...mine, ...other }],
  ["a value fewer in a list", { id: { _in: [1, 2] } }, { id: { _in: [2] } }],
  ["a smaller range", { id: { _gt: 1 } }, { id: { _gte: 5 } }],
  ["a value in the range", { id: { _gt: 1 } }, { id: { _eq: 5 } }],
  ["a value that is not the excluded one", { state: { _neq: "draft" } }, { state: { _eq: "published" } }],
  ["a value where any was enough", { owner: { _is_null: false } }, mine],
  ["an alternative fewer", { _or: [mine, other] }, mine],
  ["a condition of the related row", { author: {} }, { author: other }],
  [
    "one related row that meets both conditions",
    { _and: [{ tags: mine }, { tags: other }] },
    { tags: { ...mine, ...other } },
  ],
  ["no exception", { _not: { tags: { ...mine, ...other } } }, { _not: { tags: mine } }],
  ["no row", { id: 1 }, { _or: [] }],
  ["a negated comparison with null, which holds for no row,", { id: 1 }, { _not: { owner: { _neq: null } } }],
  ["a condition of another table", {}, { _exists: { _table: "tag", _where: mine } }],
])("%s is narrower, and the reverse is wider", (_what, old, now) => {
  expect(order(old, now)).toBe("narrower");
  expect(order(now, old)).toBe("wider");
});

test.each<readonly [string, Condition, Condition]>([
  ["another value", { id: 1 }, { id: 2 }],
  ["the negated condition, which null meets neither", mine, { _not: mine }],
  ["another variable", mine, { owner: { _eq: "X-Hasura-Org-Id" } }],
  [
    "conditions that different related rows meet",
    { tags: { ...mine, ...other } },
    { _and: [{ tags: other }, { tags: { id: 1 } }] },
  ],
])("%s has other rows", (_what, old, now) => expect(order(old, now)).toBe("other"));

test("leaves undecided what depends on the meaning of an operator", () => {
  expect(order({ name: { _like: "a%" } }, { name: { _ilike: "a%" } })).toBe("unknown");
  expect(
    order(
      { tags_aggregate: { count: { predicate: { _gt: 1 } } } },
      { tags_aggregate: { count: { predicate: { _gt: 0 } } } },
    ),
  ).toBe("unknown");
});

test("marks the changed part only", () => {
  const parts = (old: Condition, now: Condition) => changedParts(formulaOf(old, scope), formulaOf(now, scope));
  const long = { _or: [mine, { author: { team: { _in: "X-Hasura-Teams" } } }], deleted_at: { _is_null: true } };
  expect(parts(long, { ...long, ...other })).toBe("`open = true` is now required");
  expect(parts(long, { ...long, _or: [...long._or, other] })).toBe("`open = true` is now an alternative");
  expect(parts({ author: { ...mine, ...other } }, { author: mine })).toBe(
    "in author: `open = true` is no longer required",
  );
});

/** Numbers from a seed, so that a failure can be repeated. */
function random(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Row = {
  readonly a: number | null;
  readonly b: number | null;
  readonly author: readonly Row[];
  readonly tags: readonly Row[];
};
type Truth = boolean | undefined;

const session = { "x-hasura-one": 1, "x-hasura-two": 2 } as const;

/** The result of a condition by the rules of SQL. An evaluator of its own, which knows nothing of formulas. */
function evaluate(condition: unknown, row: Row): Truth {
  const results = Object.entries(condition as Condition).map(([key, value]): Truth => {
    if (key === "_and") return every((value as unknown[]).map((item) => evaluate(item, row)));
    if (key === "_or") return negated(every((value as unknown[]).map((item) => negated(evaluate(item, row)))));
    if (key === "_not") return negated(evaluate(value, row));
    if (key === "author" || key === "tags") return row[key].some((related) => evaluate(value, related) === true);
    return every(
      Object.entries(value as Condition).map(([operator, wanted]) => compare(operator, row[key as "a"], wanted, row)),
    );
  });
  return every(results);
}

const every = (items: readonly Truth[]): Truth =>
  items.includes(false) ? false : items.includes(undefined) ? undefined : true;
const negated = (truth: Truth): Truth => (truth === undefined ? undefined : !truth);

function compare(operator: string, value: number | null, wanted: unknown, row: Row): Truth {
  if (operator === "_is_null") return (value === null) === wanted;
  if (operator === "_in")
    return (wanted as number[]).length === 0
      ? false
      : value === null
        ? undefined
        : (wanted as number[]).includes(value);
  const to =
    operator === "_clt" ? row.b : ((session as Readonly<Record<string, number>>)[String(wanted)] ?? Number(wanted));
  if (value === null || to === null) return undefined;
  if (operator === "_eq") return value === to;
  if (operator === "_neq") return value !== to;
  return operator === "_gt" ? value > to : value < to;
}

function randomCondition(number: (below: number) => number, depth: number): Condition {
  const column = number(2) === 0 ? "a" : "b";
  const item = () => randomCondition(number, depth - 1);
  switch (depth === 0 ? number(6) : number(11)) {
    case 0:
      return { [column]: { _eq: number(3) } };
    case 1:
      return { [column]: { [number(2) === 0 ? "_eq" : "_neq"]: number(2) === 0 ? "x-hasura-one" : "x-hasura-two" } };
    case 2:
      return { [column]: { _gt: number(3), _lt: number(2) + 2 } };
    case 3:
      return { [column]: { _in: Array.from({ length: number(3) }, () => number(3)) } };
    case 4:
      return { [column]: { _is_null: number(2) === 0 } };
    case 5:
      return { a: { _clt: "b" } };
    case 6:
      return { _not: item() };
    case 7:
      return { author: item() };
    case 8:
      return { tags: item() };
    case 9:
      return { _or: [item(), item()] };
    default:
      return { _and: [item(), item()] };
  }
}

function randomRow(number: (below: number) => number, depth: number): Row {
  const value = () => [null, 0, 1, 2][number(4)] ?? null;
  const rows = (most: number) =>
    Array.from({ length: depth === 0 ? 0 : number(most + 1) }, () => randomRow(number, depth - 1));
  return { a: value(), b: value(), author: rows(1), tags: rows(2) };
}

/** The same condition in another form. */
function rewritten(condition: unknown, number: (below: number) => number): Condition {
  if (!isFields(condition)) throw new Error("the condition is no object");
  const inner = Object.fromEntries(
    Object.entries(condition).map(([key, value]) => {
      if (key === "_and" || key === "_or")
        return [key, (value as unknown[]).map((item) => rewritten(item, number)).toReversed()];
      return [key, key === "_not" || key === "author" || key === "tags" ? rewritten(value, number) : value];
    }),
  );
  return (
    [inner, { _and: [inner] }, { _or: [inner, inner] }, { _not: { _not: inner } }, { _and: [inner, {}] }][number(5)] ??
    inner
  );
}

test("agrees with random rows, and decides pairs of a known order", () => {
  const number = random(7);
  const rows = Array.from({ length: 200 }, () => randomRow(number, 3));
  const selected = (condition: Condition) => new Set(rows.filter((row) => evaluate(condition, row) === true));
  const answers: string[] = [];
  for (let round = 0; round < 250; round += 1) {
    const [one, two] = [randomCondition(number, 3), randomCondition(number, 2)];
    const pairs = [
      ["same", one, rewritten(one, number)],
      ["narrower", one, { _and: [two, rewritten(one, number)] }],
      ["wider", one, { _or: [rewritten(one, number), two] }],
      ["any", one, two],
    ] as const;
    for (const [known, old, now] of pairs) {
      const found = order(old, now);
      const [before, after] = [selected(old), selected(now)];
      const words = JSON.stringify({ old, now, found });
      if (found === "same" || found === "narrower") expect(after.isSubsetOf(before), words).toBe(true);
      if (found === "same" || found === "wider") expect(before.isSubsetOf(after), words).toBe(true);
      if (known !== "any") expect([known, "same"], words).toContain(found);
      answers.push(found);
    }
  }
  const share = (answer: string) => answers.filter((each) => each === answer).length / answers.length;
  expect(share("unknown")).toBe(0);
  for (const answer of ["narrower", "wider", "other"]) expect(share(answer), answer).toBeGreaterThan(0.05);
});
