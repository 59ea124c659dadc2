import { expect, test } from "vitest";
import { mostRepeated, Repetitions } from "./yaml-values.ts";
import { YamlFile } from "./yaml.ts";

const read = (text: string) => new YamlFile(text).read();
const valueOf = (text: string) => {
  const { value, problem } = read(text);
  expect(problem).toBeUndefined();
  return value;
};

test("reads an anchor with many uses", () => {
  const uses = Array.from({ length: 500 }, () => "- *own\n").join("");
  const value = valueOf(`- &own { columns: [id], filter: { owner_id: { _eq: X-Hasura-User-Id } } }\n${uses}`);
  expect(value).toHaveLength(501);
  expect((value as unknown[]).at(-1)).toEqual({ columns: ["id"], filter: { owner_id: { _eq: "X-Hasura-User-Id" } } });
});

test("an alias means the last anchor of its name before it", () => {
  expect(valueOf("a: &x 1\nb: *x\nc: &x 2\nd: *x\n")).toEqual({ a: 1, b: 1, c: 2, d: 2 });
});

test.each([
  ["a mapping", "<<: *a\n  c: 9", { x: 1, y: 2, c: 9 }],
  ["own keys before and after it win", "x: 5\n  <<: *a\n  y: 6", { x: 5, y: 6 }],
  ["the first mapping of a list wins", "<<: [*b, *a]", { x: 7, z: 8, y: 2 }],
  ["a tagged key, as yq writes it", "!!merge <<: *a\n  y: 3", { x: 1, y: 3 }],
  ["a tagged key in quotes", '!!merge "<<": *a', { x: 1, y: 2 }],
  ["a mapping that merges another", "<<: { <<: *a, y: 3 }", { x: 1, y: 3 }],
  ["a quoted key is a key", '"<<": 1', { "<<": 1 }],
])("merges keys as yaml.v3: %s", (_, text, expected) => {
  expect(valueOf(`a: &a { x: 1, y: 2 }\nb: &b { x: 7, z: 8 }\nof:\n  ${text}\n`)).toMatchObject({ of: expected });
});

// Values as gopkg.in/yaml.v3 3.0.1 prints them in JSON.
test.each([
  ["yes", "yes"],
  ["True", true],
  ["~", null],
  ["017", 15],
  ["0o17", 15],
  ["0x1F", 31],
  ["0b11", 3],
  ["1_000", 1000],
  ["08", 8],
  ["1e3", 1000],
  [".5", 0.5],
  ["1:30", "1:30"],
  ["2024-01-01", "2024-01-01T00:00:00Z"],
  ["2001-12-14t21:59:43.10-05:00", "2001-12-14T21:59:43.1-05:00"],
  ["2024-13-01", "2024-13-01"],
  ["'017'", "017"],
  ["!!str 017", "017"],
  ["!!float 3", 3],
  ["!!int '12'", 12],
  ["!!bool 'true'", true],
  ["!!binary aGVsbG8=", "hello"],
  ["9007199254740991", Number.MAX_SAFE_INTEGER],
  ["1.0000000000000000", 1],
  ["100000000000000000000", 1e20],
  ["9007199254740994", 2 ** 53 + 2],
  ["-0x20000000000000", -(2 ** 53)],
  ["52.520008123456789", 52.52000812345679],
  ["12345678901234567.5", 12345678901234568],
  ["1e-400", 0],
  ["!!float 9007199254740993", 2 ** 53],
])("reads the plain text %s as %j", (text, expected) => {
  expect(valueOf(`a: ${text}\n`)).toEqual({ a: expected });
});

test.each(["%YAML 1.1\n---\n", "%TAG ! tag:example.org,2024:\n---\n"])(
  "reads the same values after the directive %j",
  (directive) => {
    expect(valueOf(`${directive}a: &a { x: 1 }\nb: { <<: *a, y: yes, z: 1:30, n: 017 }\n`)).toMatchObject({
      b: { x: 1, y: "yes", z: "1:30", n: 15 },
    });
  },
);

test.each(["a: 1\n---\n", "a: 1\n...\n---\n# the end\n...\n"])("ignores an empty last document: %j", (text) => {
  expect(valueOf(text)).toEqual({ a: 1 });
});

test("a block text ends with the file when its last line has no end", () => {
  expect(valueOf("a: |\n  x")).toEqual({ a: "x" });
  expect(valueOf("a: |\n  x\n")).toEqual({ a: "x\n" });
});

test.each([
  ["a: &a [*a]\n", 1, "the anchor a contains itself"],
  ["a: &a\n  b: 1\n  <<: *a\n", 3, "the anchor a contains itself"],
  ["a: 1\nb: *c\n", 2, "the anchor c is not defined before this line"],
  ["a: &x 1\nb:\n  <<: *x\n", 3, "a merge key (<<) needs a mapping"],
  ["a: { }\n<<: {}\n<<: {}\n", 3, "has two merge keys"],
  ["a: 1\nb: 2\na: 3\n", 3, "the key a appears twice"],
  ["a: 1\n: 2\n", 2, "a key is empty"],
  ["a: .inf\n", 1, ".inf is not a JSON number"],
  ["a: [\n", 2, "Flow sequence"],
  ["a: 1\n---\nb: 2\n", 2, "has a second document after ---"],
  ["columns: *\n", 1, "quotes"],
  ["a: {{HOST}}/x\n", 1, "quotes"],
  ["a: {{HOST}}\n", 1, "Put a value that begins with { or [ into quotes"],
  ["<<<<<<< HEAD\na: 1\n=======\na: 2\n>>>>>>> x\n", 1, "conflict marker of git"],
  ["a: 1\nid: { _eq: 9223372036854775807 }\n", 2, "9223372036854775807 has more digits than a number keeps"],
  ["a: -0x20000000000001\n", 1, "-0x20000000000001 has more digits than a number keeps. Put it into quotes"],
  [
    "a: !!int 9007199254740993\n",
    1,
    "9007199254740993 has more digits than a number keeps. Put it into quotes, without the type !!int",
  ],
  ["a: !!int x\n", 1, "x is not of the type !!int. Write a whole number, or remove the type"],
  ["a: !!bool yes\n", 1, "yes is not of the type !!bool. Write true or false, or remove the type"],
  ["a: !!set { x }\n", 1, "has the type !!set"],
  ["a:b\nc: 1\n", 1, "a line has no colon with a space (name: value)"],
  ["a: 1\nb\n", 2, "a line has no colon with a space (name: value)"],
  ["comment: see: this\n", 1, "a value contains a colon with a space"],
  ["a: 1\n b: 2\n", 1, "the line after it begins further right"],
  ["a: 'it's'\n", 1, "Write a quote within quotes twice"],
  ['a: "C:\\Users"\n', 1, "Put the value into single quotes"],
])("refuses %j in line %d", (text, line, reason) => {
  expect(read(text)).toMatchObject({ value: undefined, problem: { line, reason: expect.stringContaining(reason) } });
});

test("refuses a file that is nested too deeply", () => {
  for (const levels of [600, 20_000])
    expect(read(`a: ${"[".repeat(levels)}${"]".repeat(levels)}\n`).problem?.reason).toBe("has more than 500 levels");
});

test("counts the values that anchors repeat, not the uses of an anchor", () => {
  const levels = Array.from({ length: 30 }, (_, n) => `a${n + 1}: &a${n + 1} [*a${n}, *a${n}]\n`);
  expect(read(`a0: &a0 [x, x]\n${levels.join("")}`).problem?.reason).toContain(`more than ${mostRepeated} values`);
  const file = new YamlFile("a: &a [1, 2, 3]\nb: *a\n");
  expect(file.read({ repetitions: new Repetitions(4) }).problem).toBeUndefined();
  expect(file.read({ repetitions: new Repetitions(3) }).problem?.line).toBe(1);
});

test.each([
  ["lists", "[".repeat(20_000)],
  ["closed lists", `${"[".repeat(2_000)}${"]".repeat(2_000)}`],
])("refuses deeply nested %s", (_, text) => {
  expect(read(text).problem).toBeDefined();
});

test("finds lines through anchors and merge keys", () => {
  const file = new YamlFile("a: &a\n  x: 1\n  y: 2\nb: *a\nc:\n  <<: *a\n  z: 3\n");
  expect(file.line(["b", "y"])).toBe(3);
  expect(file.line(["c", "x"])).toBe(2);
  expect(file.line(["c", "z"])).toBe(7);
  expect(file.line(["c", "absent"])).toBe(5);
});

test.each([
  ['a: "x\ny"\nb: 1\n', { a: "x y", b: 1 }],
  ["of:\n  a: 'it''s\n\nz'\n  b: 1\n", { of: { a: "it's\nz", b: 1 } }],
  ["of:\n  a: [\n1,\n  {\nx: 2\n}\n]\n  b: {\nc: [\nd\n]}\n", { of: { a: [1, { x: 2 }], b: { c: ["d"] } } }],
  ['a: "x"#comment\nb: [1]#comment\n', { a: "x", b: [1] }],
])("accepts lines within quotes and brackets at any column, as yaml.v3: %j", (text, expected) => {
  expect(valueOf(text)).toEqual(expected);
});

// Verdicts of gopkg.in/yaml.v3 3.0.1, which the parser does not share.
test.each([
  ["%YAML 1.2\n---\na: 1\n", 1, "Hasura's CLI rejects the directive %YAML 1.2. Remove the line"],
  ["%YAML 1.11\n---\na: 1\n", 1, "Hasura's CLI rejects the directive %YAML 1.11"],
  ["a: 1\nb: 'x\u0007'\n", 2, "has U+0007, a control character"],
  ["a: 1\nb: 'x\u2028y'\n", 2, "has U+2028, which YAML reads as the end of a line"],
  ["a: |\n  \tx\n", 2, "a tab stands where YAML needs spaces"],
  ["a:\n  -\tx\n", 2, "a tab stands where YAML needs spaces"],
  ["a: [:x]\n", 1, "a value within brackets begins with :. Put it into quotes"],
  ["a: { url: /x?y }\n", 1, "a value within brackets has a ?. Put it into quotes"],
  ["a: { b:, c: 1 }\n", 1, "a colon within brackets has no space behind it"],
  ["a: { b: !!str, c: 1 }\n", 1, "the type !!str has no space behind it"],
  ["a: { b\n  : 1 }\n", 2, "a key within brackets does not end on its line"],
  ["a: 1\nb\n  : 1\n", 3, "a key is empty or does not end on its line"],
  ["a: [&a{}]\n", 1, "the anchor &a has no space behind it"],
  ["a: 1\n\ufeffb: 1\n", 2, "has U+FEFF"],
  ["a: |2\n   \n", 2, "has only spaces"],
  ["\n...\n", 2, "has no value before the end mark"],
  ["|\n# x\n", 1, "is a block text"],
  ["a: !!binary aGk\n", 1, "aGk is not of the type !!binary. Write base64"],
  ["a: !!timestamp 2024-13-01\n", 1, "is not of the type !!timestamp"],
  ["a: { '<<': 1, <<: {} }\n", 1, "has two merge keys"],
  ["!!int 1: x\n", 1, "the key 1 has the type !!int. Remove the type"],
  ["a: &b: 1\n", 1, "&b: has a character that no anchor"],
  ['a: "x\\\n\n  y"\n', 1, "a backslash ends a line before an empty one"],
])("refuses %j in line %i, which yaml.v3 rejects or reads otherwise", (text, line, reason) => {
  expect(read(text)).toMatchObject({ value: undefined, problem: { line, reason: expect.stringContaining(reason) } });
});

test("a missing bracket does not move its line into the text before it", () => {
  expect(read("a:\n - >\n   x\nb: [ { c: a #b } ]\n").problem).toBeDefined();
  expect(read("a: >-\n  x\nb: { c: {d: x]y}, e: [] }\n").problem).toBeDefined();
});

test("ignores the type !, as yaml.v3", () => {
  expect(valueOf("a: &a { x: 1 }\nb: ! 12\nc: !\nd: ! '12'\ne: { ! <<: *a }\n")).toEqual({
    a: { x: 1 },
    b: 12,
    c: null,
    d: "12",
    e: { x: 1 },
  });
});

test("keeps no line of spaces at the end of a file", () => {
  expect(valueOf("a: |+\n   ")).toEqual({ a: "" });
  expect(valueOf("a: |+\n  x\n  ")).toEqual({ a: "x\n" });
});

test("finds the lines behind such a text", () => {
  expect(new YamlFile('a: "x\ny"\nb:\n  c: 1\n').line(["b", "c"])).toBe(4);
});

test.each([
  ['a: "x\nb: 1\n', 3, "Missing closing"],
  ['a: "x\n---\ny"\n', 1, "Missing closing"],
  ["a: [\n1\nb: 2\n", 2, "Flow sequence in block collection"],
])("refuses the text %j in line %i", (text, line, reason) => {
  expect(read(text).problem).toMatchObject({ line, reason: expect.stringContaining(reason) });
});
