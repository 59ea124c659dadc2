import { expect, test } from "vitest";
import { type Outcome, outcomeDifference, volatileColumns } from "./outcome.ts";
import { dependsOn, type Target } from "./values.ts";

const inserted = (row: Readonly<Record<string, unknown>>): Outcome => ({
  effects: [{ place: "+ public.note", row }],
  affected: 1,
});
const refused: Outcome = { refused: "the check fails" };

test("names the difference of two outcomes", () => {
  expect(outcomeDifference(refused, { refused: "another reason" })).toBeUndefined();
  expect(outcomeDifference(inserted({ id: 1 }), inserted({ id: 1 }))).toBeUndefined();
  expect(outcomeDifference(inserted({ id: 1 }), refused)).toContain("is served, though SQL refuses it");
  expect(outcomeDifference(refused, inserted({ id: 1 }))).toContain("is refused");
  expect(outcomeDifference(inserted({ owner: 2 }), inserted({ owner: 1 }))).toContain("other effects");
});

test("ignores only columns with other values each time", () => {
  const [first, second] = [inserted({ at: 1, owner: 1 }), inserted({ at: 2, owner: 1 })];
  const ignored = volatileColumns(first, second);
  expect([...ignored]).toEqual(["public.note.at"]);
  expect(outcomeDifference(inserted({ at: 3, owner: 1 }), second, ignored)).toBeUndefined();
  expect(outcomeDifference(inserted({ at: 3, owner: 2 }), second, ignored)).toContain("other effects");
});

test("finds the columns of a condition, also through relationships", () => {
  const target = {
    table: { relationships: [{ name: "project", mapping: { project_id: "id" } }] },
  } as unknown as Target;
  const condition = {
    _and: [{ _not: { title: { _eq: "spam" } } }, { project: { owner: "X-Hasura-User-Id" } }],
    _exists: { _table: "person", _where: {} },
  };
  const columns = ["title", "project_id", "owner", "id"].filter((column) => dependsOn(target, condition, column));
  expect(columns).toEqual(["title", "project_id"]);
});
