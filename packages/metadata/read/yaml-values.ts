/** The values of a YAML document: types of plain texts, anchors, merge keys, and the bounds of each. */
import { type Document, isAlias, isMap, isScalar, isSeq, type Node, Scalar, type YAMLMap } from "yaml";
import { examples, isRounded, plainValue, typeNames, typedValue } from "./yaml-scalars.ts";

export type YamlPath = readonly (string | number)[];

/** Maximum number of values of a project that anchors and repeated includes add. yaml.v3 accepts every number up to it. */
export const mostRepeated = 400_000;

export const mostLevels = 500;
export const tooDeep = `has more than ${mostLevels} levels`;

/** Counts repeated values. Anchors of anchors double them with each line ("billion laughs"), and so do includes. */
export class Repetitions {
  #left: number;

  constructor(most: number = mostRepeated) {
    this.#left = most;
  }

  /** @returns whether `count` further values are allowed */
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

/** The value of a node is refused. */
export class Refused extends Error {
  readonly node: Node | undefined;

  constructor(reason: string, node: Node | undefined) {
    super(reason);
    this.node = node;
  }
}

const standardTypes = "tag:yaml.org,2002:";

const anchorName = /^[\w-]+$/;

/** With `!!merge` before it, as yq writes it, also in quotes. */
export const isMergeKey = (key: unknown): boolean =>
  isScalar(key) &&
  key.value === "<<" &&
  (key.tag === `${standardTypes}merge` || (key.type === Scalar.PLAIN && (key.tag === undefined || key.tag === "!")));

/** The text of a key as it is written; undefined for no key, a list or a mapping. */
export const keyText = (node: unknown): string | undefined =>
  isScalar(node) && node.source !== undefined && (node.source !== "" || node.type !== Scalar.PLAIN)
    ? node.source
    : undefined;

/** Reads the values of one document. */
export class ValueReader {
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
    // yaml.v3 ignores the type `!`.
    const value = node.type === Scalar.PLAIN && (tag === undefined || tag === "!") ? plainValue(source) : node.value;
    if (isRounded(source, value)) throw new Refused(rounded, node);
    if (typeof value === "number" && !Number.isFinite(value))
      throw new Refused(`${source} is not a JSON number. Put it into quotes, or give another number`, node);
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
          if (merged.length > 0 || own.has("<<"))
            throw new Refused("has two merge keys (<<). Give one list of anchors", key as Node);
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
        const type = typeNames.get((key as Scalar).tag ?? "") ?? "!!str";
        if (type !== "!!str") throw new Refused(`the key ${name} has the type ${type}. Remove the type`, key as Node);
        if (own.has(name) || (name === "<<" && merged.length > 0))
          throw new Refused(`the key ${name} appears twice`, key as Node);
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
