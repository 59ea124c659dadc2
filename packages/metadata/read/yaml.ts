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
  parseAllDocuments,
  Scalar,
  visit,
  type YAMLMap,
} from "yaml";
import { reasonOf } from "./yaml-errors.ts";
import { examples, isRounded, plainValue, typeNames, typedValue } from "./yaml-scalars.ts";

export type YamlPath = readonly (string | number)[];

interface YamlProblem {
  /** From 1. */
  readonly line: number;
  readonly reason: string;
}

/** Values that come from uses of anchors, and from files that are included again: at most so many of a project. Below it yaml.v3 refuses none. */
export const mostRepeated = 400_000;

const mostLevels = 500;
const tooDeep = `has more than ${mostLevels} levels`;

/** Counts repeated values. Anchors of anchors double them with each line ("billion laughs"), and so do includes. */
export class Repetitions {
  #left: number;

  constructor(most: number = mostRepeated) {
    this.#left = most;
  }

  /** @returns whether so many more are allowed */
  take(count = 1): boolean {
    this.#left -= count;
    return this.#left >= 0;
  }

  get isUsedUp(): boolean {
    return this.#left < 0;
  }
}

export interface YamlReading {
  /** The value of a text that begins with `!include `. Without it, such texts stay. */
  readonly include?: (target: string, path: YamlPath, line: number) => unknown;
  readonly repetitions?: Repetitions;
  /** Whether the file was read before. */
  readonly again?: boolean;
}

class Refused extends Error {
  readonly node: Node | undefined;

  constructor(reason: string, node: Node | undefined) {
    super(reason);
    this.node = node;
  }
}

const standardTypes = "tag:yaml.org,2002:";

const anchorName = /^[\w-]+$/;

const isEmpty = (contents: unknown): boolean =>
  contents === null || (isScalar(contents) && contents.source === "" && contents.type === Scalar.PLAIN);

const isMergeKey = (key: unknown): boolean =>
  isScalar(key) && key.value === "<<" && key.type === Scalar.PLAIN && key.tag === undefined;

/** A parsed file. Parse once, read any number of times. */
export class YamlFile {
  readonly problems: readonly YamlProblem[];
  readonly #text: string;
  readonly #document: Document | undefined;
  readonly #lines = new LineCounter();
  readonly #targets = new Map<Node, Node>();

  /** @param text as `readText` returns it */
  constructor(text: string) {
    this.#text = text;
    try {
      const documents = parseAllDocuments(text, {
        lineCounter: this.#lines,
        uniqueKeys: false,
        logLevel: "error",
        // yaml.v3 has one set of types for both versions of YAML.
        schema: "core",
        resolveKnownTags: false,
        customTags: [{ tag: "!include", resolve: (path: string) => `!include ${path}` }],
      }) as readonly Document[];
      this.#document = documents[0];
      this.problems = (this.#document?.errors ?? []).map((error) => ({
        line: error.linePos?.[0].line ?? 1,
        reason: error.message.startsWith("Maximum call stack") ? tooDeep : reasonOf(error.message, text),
      }));
      const second = documents.slice(1).find(({ contents, errors }) => !isEmpty(contents) || errors.length > 0);
      if (second !== undefined && this.problems.length === 0)
        this.problems = [{ line: this.#lineAt(second), reason: "has a second document after ---. Keep one in a file" }];
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

  /** yaml.v3 ends a block text at the end of the file, when its last line has no end. */
  #endsEarly(node: Scalar): boolean {
    const isBlock = node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED;
    return isBlock && node.range?.[1] === this.#text.length && /\S[^\n]*$/.test(this.#text.slice(-1000));
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
      return { value: new Reader(this.#targets, reading, (node) => this.#lineOfNode(node)).read(this.#document) };
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      return { value: undefined, problem: { line: this.#lineOfNode(error.node), reason: error.message } };
    }
  }
}

/** The text of a key as it is written; undefined for no key, a list or a mapping. */
const keyText = (node: unknown): string | undefined =>
  isScalar(node) && node.source !== undefined && (node.source !== "" || node.type !== Scalar.PLAIN)
    ? node.source
    : undefined;

class Reader {
  readonly #targets: ReadonlyMap<Node, Node>;
  readonly #reading: YamlReading;
  readonly #repetitions: Repetitions;
  readonly #lineOf: (node: Node) => number;
  readonly #open = new Set<unknown>();
  /** Aliases around the current node. */
  #aliases = 0;

  constructor(targets: ReadonlyMap<Node, Node>, reading: YamlReading, lineOf: (node: Node) => number) {
    this.#targets = targets;
    this.#reading = reading;
    this.#repetitions = reading.repetitions ?? new Repetitions();
    this.#lineOf = lineOf;
  }

  read(document: Document | undefined): unknown {
    return this.#value(document?.contents, []);
  }

  #value(node: unknown, path: YamlPath): unknown {
    if ((this.#aliases > 0 || this.#reading.again === true) && !this.#repetitions.take())
      throw new Refused(
        `anchors and includes repeat more than ${mostRepeated} values. Repeat fewer parts`,
        node as Node | undefined,
      );
    if (node === null || node === undefined) return null;
    const anchor = isAlias(node) ? node.source : (node as Node & { readonly anchor?: string }).anchor;
    if (anchor !== undefined && !anchorName.test(anchor))
      throw new Refused(`the anchor ${anchor} has characters other than a-z, A-Z, 0-9, _ and -`, node as Node);
    if (isAlias(node)) return this.#inAlias(node, (target) => this.#value(target, path));
    if (isScalar(node)) return this.#scalar(node, path);
    if (path.length > mostLevels) throw new Refused(tooDeep, node as Node);
    const { tag } = node as Node & { readonly tag?: string };
    if (tag !== undefined && !/:(seq|map)$/.test(tag) && tag.startsWith(standardTypes))
      throw new Refused(`has the type !!${tag.slice(standardTypes.length)}. Write a list or a mapping`, node as Node);
    if (isSeq(node)) return node.items.map((item, index) => this.#value(item, [...path, index]));
    return this.#map(node as YAMLMap, path);
  }

  #inAlias<Result>(alias: Node & { readonly source: string }, work: (target: Node) => Result): Result {
    const target = this.#targets.get(alias);
    if (target === undefined) throw new Refused(`the anchor ${alias.source} is not defined before this line`, alias);
    if (this.#open.has(target)) throw new Refused(`the anchor ${alias.source} contains itself`, alias);
    this.#open.add(target);
    this.#aliases += 1;
    try {
      return work(target);
    } finally {
      this.#aliases -= 1;
      this.#open.delete(target);
    }
  }

  #scalar(node: Scalar, path: YamlPath): unknown {
    const { tag, source = "" } = node;
    const type = tag === undefined ? undefined : typeNames.get(tag);
    const rounded = `${source} has more digits than a number keeps. Put it into quotes`;
    if (tag !== undefined && type !== undefined) {
      const value = typedValue(tag, source);
      if (value === undefined)
        throw new Refused(`${source} is not of the type ${type}. Write ${examples[type]}, or remove the type`, node);
      if (type === "!!int" && isRounded(source, value)) throw new Refused(`${rounded}, without the type ${type}`, node);
      return value;
    }
    const value = node.type === Scalar.PLAIN && tag === undefined ? plainValue(source) : node.value;
    if (isRounded(source, value)) throw new Refused(rounded, node);
    if (typeof value === "number" && !Number.isFinite(value))
      throw new Refused(`${source} is no number of JSON. Put it into quotes, or give another`, node);
    if (typeof value !== "string" || !value.startsWith("!include ") || this.#reading.include === undefined)
      return value;
    return this.#reading.include(value.slice("!include ".length).trim(), path, this.#lineOf(node));
  }

  #map(map: YAMLMap, path: YamlPath): Record<string, unknown> {
    this.#open.add(map);
    try {
      const own = new Map<string, unknown>();
      const merged: unknown[] = [];
      for (const { key, value } of map.items) {
        if (isMergeKey(key)) {
          if (merged.length > 0) throw new Refused("has two merge keys (<<). Give one list of anchors", key as Node);
          merged.push(value);
          continue;
        }
        const name = isAlias(key) ? this.#inAlias(key, keyText) : keyText(key);
        if (name === undefined)
          throw new Refused(
            isMap(key) || isSeq(key)
              ? "a key is a mapping or a list. Put a value that begins with { or [ into quotes"
              : "a key is empty or not a text",
            (key ?? map) as Node,
          );
        if (own.has(name)) throw new Refused(`the key ${name} appears twice`, key as Node);
        own.set(name, this.#value(value, [...path, name]));
      }
      const [source] = merged;
      const inherited = source === undefined ? [] : this.#merged(source as Node, path);
      return Object.fromEntries([...inherited.filter(([name]) => !own.has(name)), ...own]);
    } finally {
      this.#open.delete(map);
    }
  }

  /** Entries of merged maps; of several maps in a list, the first one with a key counts. */
  #merged(node: Node, path: YamlPath): [string, unknown][] {
    if (isAlias(node)) return this.#inAlias(node, (target) => this.#oneMerged(target, node, path));
    if (!isSeq(node)) return this.#oneMerged(node, node, path);
    const maps = (node.items as Node[]).map((item) =>
      isAlias(item)
        ? this.#inAlias(item, (target) => this.#oneMerged(target, item, path))
        : this.#oneMerged(item, item, path),
    );
    return [...new Map(maps.toReversed().flat())];
  }

  #oneMerged(node: Node, written: Node, path: YamlPath): [string, unknown][] {
    if (!isMap(node)) throw new Refused("a merge key (<<) needs a mapping or a list of anchors of mappings", written);
    return Object.entries(this.#map(node, path));
  }
}
