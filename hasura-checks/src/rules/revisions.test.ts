import { buildSchema } from "graphql";
import { expect, test } from "vitest";
import { schemaChanges } from "./revisions.ts";

type Schemas = Parameters<typeof schemaChanges>[0];
const schemas = (roles: Readonly<Record<string, string>>) =>
  ({
    roles: Object.keys(roles),
    schema: (role: string) => ({ schema: buildSchema(roles[role] ?? "type Query { none: Int }") }),
  }) as unknown as Schemas;

const before =
  "type Query { note: note } type note { id: Int! title: String } input note_bool_exp { title: String } enum note_select_column { id title }";

test("reports a removed column once, with the number of affected types", () => {
  const after =
    "type Query { note: note } type note { id: Int! } input note_bool_exp { id: Int } enum note_select_column { id }";
  expect(
    schemaChanges(schemas({ reader: before }), schemas({ reader: after })).filter(({ kind }) => kind === "breaking"),
  ).toEqual([
    {
      role: "reader",
      kind: "breaking",
      reason: "the schema of reader: note.title was removed, and in 2 types made from it",
    },
  ]);
});

test("compares each role with itself, and omits equal schemas", () => {
  const after = before.replace("title: String }", "title: Int }");
  const found = schemaChanges(schemas({ reader: before, writer: before }), schemas({ reader: before, writer: after }));
  expect(found).toEqual([
    { role: "writer", kind: "breaking", reason: "the schema of writer: note.title changed type from String to Int" },
  ]);
});

test("a change that clients may not expect is dangerous", () => {
  const after = before.replace("{ id title }", "{ id title owner }");
  expect(schemaChanges(schemas({ reader: before }), schemas({ reader: after })).map(({ kind }) => kind)).toEqual([
    "dangerous",
  ]);
});
