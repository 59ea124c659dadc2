import { lengthOf } from "../../formats/prefix.ts";
import type { AsNumbers } from "./as-numbers.ts";
import type { Rule } from "../rules.ts";

/** A rule of a prefix, for its more specific prefixes with lengths from `low` to `high`. */
export interface PrefixRule {
  readonly low: number;
  readonly high: number;
  /** Place of the rule in the file. */
  readonly order: number;
  readonly rule: Rule;
}

export interface ConfiguredPrefix {
  readonly prefix: string;
  readonly organisation: string | null;
  readonly rules: readonly PrefixRule[];
  /** With fewer peers the prefix has lost its visibility; default 1, and 0: not watched. */
  readonly minPeers?: number;
}

/** Prefixes that an operator of ARTEMIS writes as `192.0.2.0/24^26-28`. */
export interface PrefixRange {
  readonly prefix: string;
  readonly low: number;
  readonly high: number;
}

/** An active hijack of these prefixes becomes ignored after a silence, if fewer monitors and ASes than these saw it. */
export interface Autoignore {
  readonly name: string;
  readonly peers: number;
  readonly ases: number;
  readonly seconds: number;
  readonly prefixes: readonly PrefixRange[];
}

/** The configuration of detection, from any form of file. */
export interface Configuration {
  readonly organisations: readonly { readonly id: string; readonly name: string }[];
  readonly prefixes: readonly ConfiguredPrefix[];
  /** Null if the form of the file has none; what is stored then stays. */
  readonly autoignore: readonly Autoignore[] | null;
  /** Parts of the file that have no effect, each with its line. */
  readonly warnings: readonly string[];
}

/** Peers that a prefix needs to be visible; null for a prefix without origins, or one that is not watched. */
export function wantedPeers({ prefix, rules, minPeers = 1 }: ConfiguredPrefix): number | null {
  const length = lengthOf(prefix);
  const isAnnounced = rules.some(({ low, high, rule }) => low <= length && length <= high && rule.origins.length > 0);
  return isAnnounced && minPeers > 0 ? minPeers : null;
}

const mostShown = 1000;

/** The origins of a prefix for its row; -1: any AS. Ranges appear as single numbers, at most 1,000. */
export function shownOrigins(rules: readonly PrefixRule[]): number[] {
  const shown = new Set<number>();
  const add = (origins: AsNumbers): void => {
    if (origins === "*") shown.add(-1);
    else
      for (const each of origins) {
        const [first, last] = typeof each === "number" ? [each, each] : each;
        for (let asn = first; asn <= last && shown.size < mostShown; asn += 1) shown.add(asn);
      }
  };
  for (const { rule } of rules) add(rule.origins);
  return [...shown].toSorted((a, b) => a - b);
}
