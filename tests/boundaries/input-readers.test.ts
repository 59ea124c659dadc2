import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { repository } from "../harness/repository.ts";
import { inputReaders } from "./input-readers.ts";
import { inputs, readers } from "./inputs.ts";

interface Node {
  readonly type: string;
  readonly [key: string]: unknown;
}

const named = (name: string): Node => ({ type: "Identifier", name });
const text = (value: string): Node => ({ type: "Literal", value });
const member = (object: string, property: string): Node => ({
  type: "MemberExpression",
  object: named(object),
  property: named(property),
});
const call = (callee: Node, ...passed: readonly Node[]): Node => ({
  type: "CallExpression",
  callee,
  arguments: passed,
});
const made = (...passed: readonly Node[]): Node => ({ ...call(named("URL"), ...passed), type: "NewExpression" });
const from = (source: string, imported: string, local = imported): Node => ({
  type: "ImportDeclaration",
  source: text(source),
  specifiers: [{ type: "ImportSpecifier", imported: named(imported), local: named(local) }],
});

/** The source of a literal or a name; of any other node a URL beside the module. */
const textOf = ({ value, name }: Node): string =>
  typeof value === "string" ? value : typeof name === "string" ? name : "new URL(name, import.meta.url)";

/** Messages of the rule for nodes of a file; by default one that has no entry in the list. */
function messages(nodes: readonly Node[], file = "cli/new.ts"): string[] {
  const found: string[] = [];
  const visitors = inputReaders.create({
    filename: join(repository, file),
    sourceCode: { getText: textOf },
    report: ({ message }) => found.push(message),
  }) as Readonly<Record<string, (node: Node) => void>>;
  for (const node of nodes) visitors[node.type]?.(node);
  visitors["Program:exit"]?.({ type: "Program" });
  return found;
}

const path = named("path");

test.each<[string, readonly Node[]]>([
  ["a read of a file", [from("node:fs/promises", "readFile"), call(named("readFile"), path)]],
  ["a read under another name", [from("node:fs", "readFileSync", "read"), call(named("read"), path)]],
  [
    "a read that is handed over",
    [from("node:fs", "readFileSync"), call(member("paths", "map"), named("readFileSync"))],
  ],
  ["a read of the whole module", [call(member("fs", "readFileSync"), path)]],
  ["another parser of YAML", [from("yaml", "parse"), call(named("parse"), path)]],
  ["another parser of keys", [from("node:crypto", "createPrivateKey"), call(named("createPrivateKey"), path)]],
  ["an address", [made(named("given"))]],
  ["the check of an address", [call(member("URL", "canParse"), named("given"))]],
])("rejects %s", (_, nodes) => {
  expect(messages(nodes)).toEqual([expect.stringContaining("reads files or addresses itself in 1 places")]);
});

test.each<[string, readonly Node[]]>([
  ["a file beside the module", [from("node:fs", "readFileSync"), call(named("readFileSync"), made(path, path))]],
  ["a table of the kernel", [from("node:fs", "readFileSync"), call(named("readFileSync"), text('"/proc/stat"'))]],
  ["a path of an address", [made(path, named("address"))]],
  ["a function of the same name", [call(named("readFile"), path), call(member("JSON", "parse"), path)]],
])("allows %s", (_, nodes) => {
  expect(messages(nodes)).toEqual([]);
});

test("a new place with a reader has to enter its list, and one without it has to leave", () => {
  const reading = from("@routeql/contract/written-text", "readText");
  expect(messages([reading])).toEqual([expect.stringContaining("cli/new.ts uses the reader readText")]);
  expect(messages([reading], "cli/commands/query.ts")).toEqual([]);
  expect(messages([], "cli/commands/query.ts")).toEqual([
    expect.stringContaining("no longer uses the reader readText"),
  ]);
});

test("a file that no longer reads by itself has to leave the list", () => {
  const [[file] = [""]] = Object.entries(inputs);
  expect(messages([], file)).toEqual([expect.stringContaining("itself in 0 places")]);
});

test("every file of the lists exists", () => {
  const listed = [...Object.keys(inputs), ...Object.values(readers).flat()];
  expect(listed.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});
