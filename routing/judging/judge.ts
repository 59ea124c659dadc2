import { type Episode, Episodes, identityOf, type Message, type Time } from "./episodes.ts";
import type { ConfiguredPrefixes, Node } from "./configured-prefixes.ts";
import { annotate, judge, type Verdict } from "./rules.ts";

/** A row of routing.bgp_updates, stored or about to be. */
export interface Row extends Message {
  /** JSON text. */
  readonly communities: string;
  readonly hijackKeys: readonly string[];
  readonly handled: boolean;
  readonly matchedPrefix: string | null;
}

/** The result for one row. */
export interface Mark {
  readonly row: Row;
  readonly matchedPrefix: string;
  readonly episodes: readonly Episode[];
  /** Records that no longer change, to which the row belongs. */
  readonly finished: readonly string[];
}

/** The order in which updates are judged: by time, at one time announcements first. */
export const inOrder = (a: Message, b: Message): number =>
  a.time - b.time || (a.type === b.type ? 0 : a.type < b.type ? -1 : 1) || (a.key < b.key ? -1 : a.key > b.key ? 1 : 0);

/** Records that a run may change. Every other one is finished and takes no more updates. */
export interface KnownRecords {
  /** Keys of records that this run computes again from all of their updates, with their newest announcements. */
  readonly recomputed: ReadonlyMap<string, Time>;
  /** Open records of a previous configuration: their updates are judged again, for other records. */
  readonly outdated: ReadonlySet<string>;
}

/**
 * Judges rows in order. The same rows in the same order give the same records.
 *
 * Times may be whole seconds, and an announcement with an AS set is several rows. So the correct announcements of a time come after the hijacked
 * ones, and end no hijack that their monitor announces at that time.
 */
export class Judge {
  readonly episodes: Episodes;
  /** Of the rows since the last {@link settle}. */
  #time: Time | undefined;
  /** Prefixes with the monitors that announced a hijack of them. */
  readonly #hijacked = new Set<string>();
  /** Correct announcements that may end a hijack. */
  #correct: Row[] = [];
  readonly #prefixes: ConfiguredPrefixes;
  readonly #known: KnownRecords;
  /** Keys of recomputed records, each with the episode that continues it. */
  readonly #continued = new Map<string, Episode>();

  constructor(prefixes: ConfiguredPrefixes, known: KnownRecords, episodes = new Episodes(known.recomputed)) {
    this.#prefixes = prefixes;
    this.#known = known;
    this.episodes = episodes;
  }

  /** Recomputed records of which no update is left: others took them. */
  get abandoned(): string[] {
    return [...this.#known.recomputed.keys()].filter((key) => !this.#continued.has(key));
  }

  /** @returns undefined outside the configuration */
  judge(row: Row): Mark | undefined {
    const node = this.#prefixes.find(row.prefix);
    if (node === undefined) return undefined;
    if (row.time !== this.#time || row.type === "W") this.settle();
    this.#time = row.time;
    const { recomputed, outdated } = this.#known;
    const finished = row.hijackKeys.filter((key) => !recomputed.has(key));
    const mark = (episodes: readonly Episode[]): Mark => ({ row, matchedPrefix: node.prefix, episodes, finished });
    if (row.type === "W") return mark(this.episodes.withdraw(row));
    const verdict = judge(node.rules, row.path, node.isMoreSpecific);
    if (verdict === undefined) {
      if (this.episodes.replacedBy(row) !== undefined) this.#correct.push(row);
      return mark([]);
    }
    this.#hijacked.add(`${row.prefix} ${row.peer}`);
    // It belongs to a record that a person or the end of the hijack has closed.
    if (finished.some((key) => !outdated.has(key))) return mark([]);
    const episode = this.episodes.announce(row, { ...findingOf(verdict, node), annotate: annotator(row, node) });
    if (!episode.isStored) episode.parent ??= finished[0] ?? null;
    this.#continue(row, episode);
    return mark([episode]);
  }

  /** Judges the correct announcements of the last time: after the last row, or of rows that are each compared with the ones before. */
  settle(): void {
    // All before the first withdrawal, which may end a record.
    const replaced = this.#correct.map((row) => [row, this.episodes.replacedBy(row)] as const);
    for (const [row, prefix] of replaced)
      if (!this.#hijacked.has(`${prefix} ${row.peer}`)) this.episodes.replace(row, prefix);
    this.#correct = [];
    this.#hijacked.clear();
  }

  /** An episode keeps the key of the record that had its updates, because people may have written to that record. */
  #continue({ hijackKeys }: Row, episode: Episode): void {
    for (const key of hijackKeys) {
      if (episode.isStored || !this.#known.recomputed.has(key) || this.#continued.has(key)) continue;
      episode.key = key;
      episode.isStored = true;
      this.#continued.set(key, episode);
    }
  }
}

const findingOf = (verdict: Verdict, node: Node) => ({
  ...verdict,
  configuredPrefix: node.prefix,
  configuredAt: node.configuredAt,
});

const annotator = (row: Row, node: Node) => (current: string) => {
  if (node.rules.every(({ rule }) => rule.annotations.length === 0)) return current;
  const communities = (JSON.parse(row.communities) as unknown[]).map((each) =>
    Array.isArray(each) ? each.join(":") : String(each),
  );
  return annotate(current, node.rules, new Set(communities));
};

/** The identity that an announcement has now; undefined for a benign one. */
export function judgedIdentity(
  prefixes: ConfiguredPrefixes,
  prefix: string,
  path: readonly number[],
): string | undefined {
  const node = prefixes.find(prefix);
  const verdict = node === undefined ? undefined : judge(node.rules, path, node.isMoreSpecific);
  return verdict === undefined ? undefined : identityOf(prefix, verdict.hijacker, verdict.type);
}
