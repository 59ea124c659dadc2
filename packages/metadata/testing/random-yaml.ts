/** Random YAML as people write it, for a comparison with yaml.v3: any style, anchors, merge keys, comments; some texts have one change. */
import fc from "fast-check";

interface Styled {
  /** Chooses among the forms of this value. */
  readonly style: number;
  readonly anchor: string;
}
type Tree = Styled &
  (
    | { readonly kind: "text"; readonly text: string }
    | { readonly kind: "list"; readonly items: readonly Tree[] }
    | { readonly kind: "map"; readonly entries: readonly (readonly [key: string, value: Tree])[] }
  );

const plainTexts = [
  ..."yes no on off y true True TRUE false ~ null Null NULL .nan .inf -.Inf +.inf nan".split(" "),
  ..."0 -0 1 +1 017 0o17 08 0x1F 0xG -0x1f 0b11 0b12 1_000 _1 1__0 1e3 1E+3 1e .5 5. . +.5 -.5 1.5e-3 12e03 1_0.5".split(
    " ",
  ),
  ..."1:30 190:20:30 12:30:45.5 9007199254740993 123456789012345678901234567890 1e400 0.1 1.0 00 0x 0o 0.0.1".split(
    " ",
  ),
  ..."2024-01-31 2024-1-3 2024-13-01 2024-02-30 2001-12-14t21:59:43.10-05:00 2001-12-14T21:59:43Z 20240131".split(" "),
  "2001-12-14 21:59:43.10",
  "2001-12-14 21:59:43.10 -5",
  "2001-12-14 21:59:43 +05:30",
  "0001-01-01",
  ..."X-Hasura-User-Id id public _eq a.b a-b a/b {} [] = << ! !x - -- --- -a ? ?a :a a:b a::b a#b \\n".split(" "),
  "a b",
  "a  b",
  "a #b",
  "it's",
  "a b",
  'say "a"',
  "\u00e4",
  "\u5c71",
  "\u{1f600}",
  "a\tb",
  "!!str 1",
  "!!int 0x1F",
  "!!int '7'",
  "!!float 3",
  "!!bool 'true'",
  "!!null ''",
  "!!binary aGk=",
  "!!timestamp 2024-01-31",
  "!own a",
  "!!str",
  ..."a,b a]b %a @a `a & * | >".split(" "),
  "a: b",
  "a:",
  "- a",
  "? a",
  "{{HOST}}/x",
  "!!str null",
  "! 12",
  "!!int 1.5",
  "a\u00a0b",
  "a\\b",
  "a'b'",
  "select * from x",
  "<h1>",
  "==",
  "1,000",
];
const quotedTexts = [
  "",
  " ",
  "a",
  "a: b",
  "#",
  "null",
  "017",
  "true",
  "it's",
  'say "a"',
  "a\nb",
  "a\n\nb",
  " a ",
  "\ta",
  "a\n",
  "\n",
  "\\",
  "\\n",
  "<<",
  "\u00e4\u{1f600}",
  "a\u00a0",
  "\u2028",
  "{{X}}",
  "a  b\n  c",
  "x\n\n\n y",
  "a \n b",
  "- a",
  "%",
  "/a/b",
];
const rareTexts = ["\u0007", "\u001b[0m", "\u0085", "\u2028", "\ufeffa", "a\u0085b", "a\u2028b", "\u007f"];
const keys = [
  ..."a b c d name table schema filter _eq x-1 A.B 1 true ~ null 017 2024-01-31 <<".split(" "),
  '"a"',
  "'b c'",
  '"<<"',
  "a b",
  "a:b",
  "\u00e4",
  "? a",
  "&k a",
  "*a1",
  "!!str 1",
  "!!merge <<",
  "[a]",
  "{a: 1}",
  '"a\\nb"',
  "",
];
const usualKeys = ["a", "b", "c", "d", "e", "f", "name", "table"];

const anchor = fc.oneof(
  { weight: 15, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.constantFrom("&a1", "&a2", "&a3") },
);
const styled = { style: fc.nat(9999), anchor };

/** `<<` with a value that is usually right. */
const merge = fc
  .tuple(
    fc.constantFrom("<<", "<<", "!!merge <<"),
    fc.oneof(
      { weight: 20, arbitrary: fc.constantFrom("*a1", "*a3", "[*a1, *a3]", "{x: 5}", "[*a3, {y: 1}]", "[]") },
      fc.constantFrom("*a2", "1", "", "[1]", "[[*a1]]"),
    ),
  )
  .map(([key, text]) => [key, { kind: "text", text: `plain:${text}`, style: 1, anchor: "" } satisfies Tree] as const);

const entriesOf = (value: fc.Arbitrary<Tree>, minLength = 0) =>
  fc.uniqueArray(
    fc.oneof(
      { weight: 60, arbitrary: fc.tuple(fc.constantFrom(...usualKeys), value) },
      { weight: 2, arbitrary: fc.tuple(fc.constantFrom(...keys), value) },
      { weight: 4, arbitrary: merge },
    ),
    { minLength, maxLength: 4, selector: ([key]) => key },
  );

const { tree } = fc.letrec<{ tree: Tree }>((tie) => ({
  tree: fc.oneof(
    { depthSize: "small", withCrossShrink: true, maxDepth: 4 },
    {
      weight: 5,
      arbitrary: fc.record({
        kind: fc.constant("text" as const),
        text: fc.oneof(
          { weight: 25, arbitrary: fc.constantFrom(...plainTexts.slice(0, 150)).map((text) => `plain:${text}`) },
          { weight: 1, arbitrary: fc.constantFrom(...plainTexts).map((text) => `plain:${text}`) },
          { weight: 20, arbitrary: fc.constantFrom(...quotedTexts).map((text) => `text:${text}`) },
          { weight: 2, arbitrary: fc.constantFrom("plain:*a1", "plain:*a2", "plain:*a3", "plain:", "plain:") },
          { weight: 1, arbitrary: fc.constantFrom(...rareTexts, ...quotedTexts).map((text) => `text:${text}`) },
        ),
        ...styled,
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("list" as const),
        items: fc.array(tie("tree"), { maxLength: 4 }),
        ...styled,
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("map" as const), entries: entriesOf(tie("tree")), ...styled }),
    },
  ),
}));

const double = (text: string): string => {
  const escapes: Readonly<Record<string, string>> = {
    "\n": "\\n",
    "\t": "\\t",
    "\u0007": "\\a",
    "\u001b": "\\e",
    '"': '\\"',
    "\\": "\\\\",
  };
  return `"${Array.from(text, (one) => escapes[one] ?? one).join("")}"`;
};
const folded = (text: string, indent: string): string => text.replaceAll("\n", `\n\n${indent}`);

/** A text in one of the styles, for a place inside brackets or not. */
function textOf(given: string, style: number, indent: string, flow: boolean): string {
  const [, kind, text = ""] = /^(plain|text):([^]*)$/.exec(given) ?? [];
  if (kind === "plain") return style % 40 === 7 ? text.replaceAll(" ", `\n${indent} `) : text;
  const block = (mark: string): string => {
    const lines = text.split("\n").map((line) => (line === "" ? "" : `${indent}  ${line}`));
    return `${mark}\n${lines.join("\n")}`;
  };
  const forms = [
    () => double(text),
    () => double(text),
    () => `'${folded(text.replaceAll("'", "''"), `${indent} `)}'`,
    () => `"${folded(text.replace(/["\\]/g, "\\$&"), indent)}"`,
    () => `"${text.replace(/["\\]/g, "\\$&").replaceAll("\n", "\\n\\\n   ")}"`,
    ...(flow
      ? []
      : [
          () => block("|"),
          () => block("|-"),
          () => block("|+"),
          () => block(">"),
          () => block(">-"),
          () => block(">+ # why"),
          () => block("|2"),
          () => block("| # why"),
        ]),
  ];
  return forms[style % forms.length]!();
}

function flowOf(tree: Tree, indent: string, name = tree.anchor): string {
  const { style } = tree;
  const isAlias = tree.kind === "text" && /^plain:[*[]/.test(tree.text) && style % 9 > 0;
  const mark = name === "" || isAlias ? "" : `${name} `;
  if (tree.kind === "text") return mark + textOf(tree.text, style, indent, true);
  const gap = ["", " ", " ", " ", `\n${indent}  `][style % 5]!;
  const end = style % 11 === 0 ? "," : "";
  if (tree.kind === "list")
    return `${mark}[${gap}${tree.items.map((item) => flowOf(item, indent)).join(`,${gap || " "}`)}${end}${gap}]`;
  const colon = style % 13 === 0 ? " : " : style % 97 === 0 ? ":" : ": ";
  const entries = tree.entries.map(([key, value]) => key + colon + flowOf(value, indent));
  return `${mark}{${gap}${entries.join(`,${gap || " "}`)}${end}${gap}}`;
}

/** The text of a value after `key:` or `-`, with a space or a line end before it. */
function blockOf(tree: Tree, indent: string, inList: boolean): string {
  const { style, anchor: name } = tree;
  const isAlias = tree.kind === "text" && /^plain:[*[]/.test(tree.text) && style % 9 > 0;
  const mark = name === "" || isAlias ? "" : ` ${name}`;
  const note = ["", "", "", "", "", "", " # why", "  ", "\t"][style % 9]!;
  if (tree.kind === "text") {
    const text = textOf(tree.text, Math.floor(style / 9), indent, false);
    return `${mark}${text === "" ? "" : [" ", " ", " ", "  ", `\n${indent} `][style % 5]!}${text}${text.includes("\n") ? "" : note}`;
  }
  const children = tree.kind === "list" ? tree.items : tree.entries;
  if (style % 4 === 0 || children.length === 0) return `${mark} ${flowOf(tree, indent, "")}${note}`;
  const step = ["  ", "  ", "  ", " ", "    "][style % 5]!;
  if (tree.kind === "list") {
    const own = !inList && style % 3 === 0 ? indent : indent + step;
    const lines = tree.items.map((item) => `${own}-${blockOf(item, `${own}  `, true)}`);
    return `${mark}${note}\n${lines.join("\n")}`;
  }
  const compact = inList && name === "" && style % 3 > 0;
  const own = compact ? indent : indent + step;
  const lines = tree.entries.map(
    ([key, value], index) =>
      `${compact && index === 0 ? " " : own}${key}${style % 19 === 0 ? " :" : ":"}${blockOf(value, own, false)}`,
  );
  return `${compact ? "" : `${mark}${note}\n`}${lines.join(style % 7 === 0 ? "\n\n" : style % 23 === 0 ? "\n# why\n" : "\n")}`;
}

/** The whole text: the value begins at the first column. */
function documentOf(tree: Tree, frame: number): string {
  const start = ["---\n", "# why\n", "%YAML 1.1\n---\n", "\ufeff", "--- # why\n"][frame % 30] ?? "";
  const end = ["\n", "\n", "\n", "", "\n\n", "\n...\n", "\n---\n", "\n# end"][Math.floor(frame / 30) % 8]!;
  const { style } = tree;
  if (tree.kind === "map" && tree.entries.length > 0 && style % 16 > 0) {
    const anchors = "k0: &a1 {x: 1, y: 2}\nk1: &a2 [1]\nk2: &a3 {x: 3, z: 4}\n";
    const lines = tree.entries.map(([key, value]) => `${key}:${blockOf(value, "", false)}`);
    return `${start}${style % 25 > 0 ? anchors : ""}${lines.join("\n")}${end}`;
  }
  if (tree.kind === "list" && tree.items.length > 0 && style % 4 > 0)
    return `${start}${tree.items.map((item) => `-${blockOf(item, "  ", true)}`).join("\n")}${end}`;
  return `${start}${flowOf(tree, "")}${end}`;
}

const changes = [
  ...Array.from(" \n\t:-#,[]{}\"'&*!|>%@`?\\a1."),
  "\r\n",
  ": ",
  " #",
  "- ",
  "  ",
  "\n  ",
  "\n\n",
  "---\n",
  "\n- ",
  "''",
  "\u00a0",
  "\u0085",
  "\u2028",
  "<<: ",
];

const root: fc.Arbitrary<Tree> = fc.oneof(tree, {
  weight: 12,
  arbitrary: fc.record({ kind: fc.constant("map" as const), entries: entriesOf(tree, 1), ...styled }),
});

const written = fc.tuple(root, fc.nat(239)).map(([value, frame]) => documentOf(value, frame));

export const randomYaml: fc.Arbitrary<string> = written.chain((text) =>
  fc.oneof({ weight: 12, arbitrary: fc.constant(text) }, fc.constant(text.replaceAll("\n", "\r\n")), {
    weight: 3,
    arbitrary: fc
      .tuple(fc.nat(Math.max(0, text.length - 1)), fc.constantFrom("", ...changes), fc.nat(1))
      .map(([at, change, removed]) => text.slice(0, at) + change + text.slice(at + removed)),
  }),
);
