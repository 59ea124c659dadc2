import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { insertedTexts } from "./inserted-texts.ts";
import { repository } from "../harness/repository.ts";
import { programTexts } from "./program-texts.ts";

const literal = (value: string) => ({ type: "Literal", value });
const name = { type: "Identifier", name: "given" };
const call = (callee: string) => ({ type: "CallExpression", callee: { type: "Identifier", name: callee } });
const template = (texts: readonly string[], ...expressions: readonly object[]) => ({
  type: "TemplateLiteral",
  quasis: texts.map((raw) => ({ value: { raw } })),
  expressions,
});

/** Messages of the rule for one expression in a file that has no entry in the list. */
function messages(node: { readonly type: string }, file = "cli/new.ts"): string[] {
  const found: string[] = [];
  const context = {
    filename: join(repository, file),
    report: ({ message }: { message: string }) => found.push(message),
  };
  const visitors = programTexts.create(context) as Readonly<Record<string, (node: object) => void>>;
  visitors[node.type]?.(node);
  visitors["Program:exit"]?.({ type: "Program" });
  return found;
}

test.each([
  ["a name in SQL", template(["select * from ", ""], name)],
  ["a text in an anonymous block", template(["do $$ begin perform '", "'; end $$"], name)],
  ["an escaped text beside another", template(["drop role ", ", ", ""], call("escapeIdentifier"), name)],
  [
    "a script for a shell",
    { type: "ArrayExpression", elements: [literal("sh"), literal("-c"), template(["cat ", ""], name)] },
  ],
  ["a script from a variable", { type: "ArrayExpression", elements: [literal("bash"), literal("-c"), name] }],
])("rejects %s", (_, node) => {
  expect(messages(node)).toEqual([expect.stringContaining("inserts text into SQL or a shell program in 1 places")]);
});

test.each([
  ["an escaped text", template(["select * from ", ""], call("escapeIdentifier"))],
  ["a parameter", template(["select * from t where id = $1"])],
  [
    "a fixed script with arguments",
    { type: "ArrayExpression", elements: [literal("sh"), literal("-c"), literal('echo "$1"'), name] },
  ],
  ["a message", template(["the file ", " is missing"], name)],
])("allows %s", (_, node) => {
  expect(messages(node)).toEqual([]);
});

test("rejects a fixed statement of more than 12 lines", () => {
  const ofLines = (lines: number) => template([`select 1${"\n, 1".repeat(lines - 2)}\nfrom t`]);
  expect(messages(ofLines(12))).toEqual([]);
  expect(messages(ofLines(13))).toEqual([expect.stringContaining("cli/new.ts has a statement of 13 lines.")]);
});

test("a file that no longer inserts text has to leave the list", () => {
  const [[file] = [""]] = Object.entries(insertedTexts);
  expect(messages(template(["a message"]), file)).toHaveLength(1);
});

test("every file of the list exists", () => {
  expect(Object.keys(insertedTexts).filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});
