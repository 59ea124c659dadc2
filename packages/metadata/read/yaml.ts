/** Reads YAML as Hasura's CLI does (gopkg.in/yaml.v3): anchors, merge keys, and its types of plain texts. */
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { reasonOf } from "./yaml-errors.ts";
import { parseIndented } from "./yaml-indentation.ts";
import { strictness } from "./yaml-strictness.ts";
import {
  isMergeKey,
  keyText,
  mostLevels,
  Refused,
  tooDeep,
  ValueReader,
  type YamlPath,
  type YamlReading,
} from "./yaml-values.ts";

export type { YamlPath } from "./yaml-values.ts";

interface YamlProblem {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** An error of the parser for `"text"#comment`, which yaml.v3 accepts. */
const accepted = "Comments must be separated from other tokens by white space";

const isEmpty = (contents: unknown): boolean =>
  contents === null || (isScalar(contents) && contents.source === "" && contents.type === Scalar.PLAIN);

/** A parsed file. Parse once, read any number of times. */
export class YamlFile {
  readonly problems: readonly YamlProblem[];
  readonly #text: string;
  readonly #document: Document | undefined;
  readonly #lines: LineCounter = new LineCounter();
  readonly #targets = new Map<Node, Node>();

  /** @param text as `readText` returns it */
  constructor(text: string) {
    this.#text = text;
    try {
      const parsed = parseIndented(text, {
        uniqueKeys: false,
        logLevel: "error",
        // yaml.v3 has one set of types for both versions of YAML.
        schema: "core",
        resolveKnownTags: false,
        customTags: [{ tag: "!include", resolve: (path: string) => `!include ${path}` }],
      });
      const { documents } = parsed;
      this.#text = parsed.text;
      this.#lines = parsed.lines;
      this.#document = documents[0];
      const errors = (this.#document?.errors ?? []).filter(({ message }) => !message.startsWith(accepted));
      this.problems = errors.map((error) => ({
        line: error.linePos?.[0].line ?? 1,
        reason: error.message.startsWith("Maximum call stack") ? tooDeep : reasonOf(error.message, text),
      }));
      const second = documents.slice(1).find(({ contents, errors }) => !isEmpty(contents) || errors.length > 0);
      if (second !== undefined && this.problems.length === 0)
        this.problems = [{ line: this.#lineAt(second), reason: "has a second document after ---. Keep one in a file" }];
      const strict = this.problems.length === 0 ? (strictness(this.#text) ?? this.#blockRoot()) : undefined;
      if (strict !== undefined) this.problems = [strict];
      if (this.#document !== undefined) this.#prepare(this.#document);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      this.problems = [{ line: 1, reason: tooDeep }];
    }
  }

  /** Finds the anchors: an alias means the last node with its name before it. */
  #prepare(document: Document): void {
    const anchors = new Map<string, Node>();
    visit(document, {
      Node: (_, node) => {
        if (isAlias(node)) {
          const target = anchors.get(node.source);
          if (target !== undefined) this.#targets.set(node, target);
        } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
        if (isScalar(node) && typeof node.value === "string" && this.#endsEarly(node))
          node.value = node.value.replace(/\n$/, "");
      },
    });
  }

  /** yaml.v3 indents a block text also when it is the whole file. */
  #blockRoot(): YamlProblem | undefined {
    const root = this.#document?.contents;
    const isBlock = isScalar(root) && (root.type === Scalar.BLOCK_LITERAL || root.type === Scalar.BLOCK_FOLDED);
    return isBlock ? { line: this.#lineOfNode(root), reason: "is a block text. Write a list or a mapping" } : undefined;
  }

  /** yaml.v3 ends a block text at the end of the file, when its last line has no end. */
  #endsEarly(node: Scalar): boolean {
    const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
    const lastLine = /[^\n]*$/.exec(this.#text.slice(-1000))?.[0] ?? "";
    const isLast = isBlock && node.range?.[1] === this.#text.length;
    return isLast && (/\S/.test(lastLine) || (lastLine !== "" && /^\n*$/.test(String(node.value))));
  }

  /** The line of the `---` before a document. */
  #lineAt(document: Document): number {
    const start = document.range?.[0] ?? 0;
    const mark = this.#text.lastIndexOf("\n---", start);
    return this.#lines.linePos(mark === -1 ? start : mark + 1).line;
  }

  #lineOfNode(node: unknown): number {
    return this.#lines.linePos((node as Node | undefined)?.range?.[0] ?? 0).line;
  }

  #followed(node: unknown): unknown {
    return isAlias(node) ? this.#targets.get(node) : node;
  }

  /** The line of a path, or of its last existing parent; undefined for an empty file. */
  line(path: YamlPath): number | undefined {
    const { place } = this.#find(path);
    return (place as Node | null | undefined)?.range ? this.#lineOfNode(place) : undefined;
  }

  has(path: YamlPath): boolean {
    return this.#find(path).found;
  }

  /** The text of a value without quotes, as it is written; undefined for other values. */
  plainText(path: YamlPath): string | undefined {
    const { node } = this.#find(path);
    const value = this.#followed(node);
    return isScalar(value) && value.type === Scalar.PLAIN ? value.source : undefined;
  }

  #find(path: YamlPath): { readonly place: unknown; readonly node?: unknown; readonly found: boolean } {
    let node: unknown = this.#document?.contents;
    let place = node;
    for (const part of path) {
      const inner = this.#followed(node);
      if (isMap(inner)) {
        const pair = this.#pair(inner, String(part), 0);
        if (pair === undefined) return { place, found: false };
        place = pair.key ?? place;
        node = pair.value;
      } else if (isSeq(inner) && typeof part === "number" && inner.items[part] !== undefined) {
        node = inner.items[part];
        place = node;
      } else return { place, found: false };
    }
    return { place, node, found: true };
  }

  /** The pair of a key, also of a merged map. */
  #pair(map: YAMLMap, key: string, level: number): Pair | undefined {
    const own = map.items.find((pair) => !isMergeKey(pair.key) && keyText(this.#followed(pair.key)) === key);
    if (own !== undefined || level > mostLevels) return own;
    for (const pair of map.items.filter(({ key: written }) => isMergeKey(written))) {
      const merged = this.#followed(pair.value);
      for (const each of isSeq(merged) ? merged.items : [merged]) {
        const from = this.#followed(each);
        const found = isMap(from) ? this.#pair(from, key, level + 1) : undefined;
        if (found !== undefined) return found;
      }
    }
    return undefined;
  }

  /** The value; undefined with a problem, such as an anchor that contains itself. */
  read(reading: YamlReading = {}): { readonly value: unknown; readonly problem?: YamlProblem } {
    if (this.problems[0] !== undefined) return { value: undefined, problem: this.problems[0] };
    try {
      return { value: new ValueReader(this.#targets, reading, (node) => this.#lineOfNode(node)).read(this.#document) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { value: undefined, problem: { line: this.#lineOfNode(error.node), reason: error.message } };
    }
  }
}
