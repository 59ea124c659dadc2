import { lastOf, lengthOf, type Prefix, parsePrefix, printPrefix, truncated } from "../formats/prefix.ts";
import { PreparedRule, type Rule } from "./rules.ts";

/** A rule of a prefix and of its more specific prefixes with lengths from `low` to `high`. */
export interface Configured {
  readonly prefix: string;
  readonly low: number;
  readonly high: number;
  /** Place of the rule in its configuration. */
  readonly order: number;
  readonly rule: Rule;
  /** Microseconds since 1970 at which the prefix was configured. */
  readonly configuredAt: number;
  readonly organisation: string | null;
}

/** The configuration of one announced prefix. */
export interface Node {
  /** The announced prefix, or the longest configured one around it. */
  readonly prefix: string;
  readonly rules: readonly PreparedRule[];
  readonly isMoreSpecific: boolean;
  readonly configuredAt: number;
  readonly organisation: string | null;
  /** The entry of the configuration that contains it. */
  readonly configured: string;
}

interface Entry {
  readonly configured: Configured;
  readonly rule: PreparedRule;
}

/** The addresses of a prefix, as numbers. */
interface Range {
  readonly first: bigint;
  readonly last: bigint;
}

/** The ranges that no other one contains, in order. */
function outermost(ranges: readonly Range[]): readonly Range[] {
  const found: Range[] = [];
  const widestFirst = (a: Range, b: Range): number =>
    a.first < b.first ? -1 : a.first > b.first ? 1 : a.last > b.last ? -1 : a.last < b.last ? 1 : 0;
  for (const range of ranges.toSorted(widestFirst)) if (range.first > (found.at(-1)?.last ?? -1n)) found.push(range);
  return found;
}

/** Whether one of ordered ranges without overlaps has the address. */
function within(ranges: readonly Range[], address: bigint): boolean {
  let [low, high] = [0, ranges.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (ranges[middle]!.last < address) low = middle + 1;
    else high = middle;
  }
  return low < ranges.length && ranges[low]!.first <= address;
}

/** Remembered answers, about 10 MB: a feed of all updates asks for every prefix of the internet. */
const mostKnown = 100_000;

/** The active configuration, for look-ups by prefix. Ranges of lengths are never expanded to single prefixes. */
export class ConfiguredPrefixes {
  readonly #byLength: Readonly<Record<4 | 6, Map<number, Map<bigint, Entry[]>>>> = { 4: new Map(), 6: new Map() };
  /** Nearly all prefixes of a full feed are outside, which this finds with few comparisons. */
  readonly #ranges: Readonly<Record<4 | 6, readonly Range[]>>;
  readonly #known = new Map<string, Node | null>();

  constructor(configured: readonly Configured[]) {
    const prepared = new Map<Rule, PreparedRule>();
    const ranges: Record<4 | 6, Range[]> = { 4: [], 6: [] };
    for (const each of configured.toSorted((a, b) => a.order - b.order)) {
      const prefix = parsePrefix(each.prefix);
      if (prefix === undefined) throw new Error(`The configured prefix ${each.prefix} is no prefix.`);
      const rule = prepared.get(each.rule) ?? new PreparedRule(each.rule);
      prepared.set(each.rule, rule);
      const lengths = this.#byLength[prefix.family];
      const alike = lengths.get(prefix.length) ?? new Map<bigint, Entry[]>();
      lengths.set(prefix.length, alike);
      const entries = alike.get(prefix.bits) ?? [];
      alike.set(prefix.bits, entries);
      entries.push({ configured: each, rule });
      ranges[prefix.family].push({ first: prefix.bits, last: lastOf(prefix) });
    }
    this.#ranges = { 4: outermost(ranges[4]), 6: outermost(ranges[6]) };
  }

  /** @param text a prefix; bits beyond its length do not count @returns undefined outside the configuration */
  find(text: string): Node | undefined {
    let node = this.#known.get(text);
    if (node === undefined) {
      if (this.#known.size >= mostKnown) this.#known.clear();
      const prefix = parsePrefix(text);
      node = prefix === undefined || !within(this.#ranges[prefix.family], prefix.bits) ? null : this.#search(prefix);
      this.#known.set(text, node);
    }
    return node ?? undefined;
  }

  /** The longest configured prefix decides. A range of lengths contains each prefix of these lengths. */
  #search(prefix: Prefix): Node | null {
    let best = -1;
    let found: Entry[] = [];
    for (const [length, alike] of this.#byLength[prefix.family]) {
      if (length > prefix.length) continue;
      for (const entry of alike.get(truncated(prefix, length).bits) ?? []) {
        const { low, high } = entry.configured;
        const own = Math.min(prefix.length, high);
        if (prefix.length < low || own < best) continue;
        if (own > best) found = [];
        best = own;
        found.push(entry);
      }
    }
    if (found.length === 0) return null;
    const entries = found.toSorted((a, b) => a.configured.order - b.configured.order);
    const nearest = entries.toSorted((a, b) => lengthOf(b.configured.prefix) - lengthOf(a.configured.prefix))[0]!;
    return {
      prefix: printPrefix(truncated(prefix, best)),
      rules: entries.map(({ rule }) => rule),
      isMoreSpecific: best < prefix.length,
      configuredAt: Math.max(...entries.map(({ configured }) => configured.configuredAt)),
      organisation: nearest.configured.organisation,
      configured: nearest.configured.prefix,
    };
  }
}
