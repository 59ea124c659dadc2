import { createHash } from "node:crypto";
import { type Prefix, parsePrefix, printPrefix, truncated } from "../formats/prefix.ts";

/** Microseconds since 1970. */
export type Time = number;

/** An update of a configured prefix. */
export interface Message {
  /** Key of its row. */
  readonly key: string;
  readonly time: Time;
  readonly prefix: string;
  /** Null if the source does not contain it. */
  readonly peer: number | null;
  readonly type: "A" | "W";
  readonly path: readonly number[];
}

/** The addition of one announcement to a hijack. */
export interface Finding {
  readonly type: string;
  readonly hijacker: number;
  readonly rule: string;
  readonly infected: readonly number[];
  readonly configuredPrefix: string;
  readonly configuredAt: Time;
  /** Rating by the communities, from the previous one. */
  readonly annotate: (current: string) => string;
}

/** One monitor of an episode. */
export interface PeerState {
  first: Time;
  /** Its newest hijacked announcement. */
  last: Time;
  /** Its newest withdrawal, if that is not older than `last`. */
  withdrawn: Time | null;
}

/** One record: from the first hijacked announcement of a prefix, hijacker and type to its withdrawal. */
export interface Episode {
  key: string;
  readonly prefix: string;
  readonly type: string;
  readonly hijacker: number;
  rule: string;
  configuredPrefix: string;
  configuredAt: Time;
  started: Time;
  /** The newest announcement, or the newest withdrawal that counted. */
  last: Time;
  lastAnnounced: Time;
  /** Time of the withdrawal that ended it. */
  ended: Time | null;
  readonly peers: Map<number, PeerState>;
  readonly infected: Set<number>;
  annotation: string;
  firstPath: readonly number[];
  lastPath: readonly number[];
  /** Key of the record that had the announcements under the previous configuration. */
  parent: string | null;
  /** Whether a record with this key exists. */
  isStored: boolean;
}

/** Prefix, hijacker and type, which two open episodes never share. */
export const identityOf = (prefix: string, hijacker: number, type: string): string => `${prefix}|${hijacker}|${type}`;

/** An episode is withdrawn at 80 % of its monitors, rounded. */
export const enoughWithdrawn = (withdrawn: number, seen: number): boolean => withdrawn >= Math.round(0.8 * seen);

/**
 * The life of hijack records. Takes the updates of configured prefixes in the order of their time; within an open episode
 * the order does not matter.
 */
export class Episodes {
  readonly #announcedUntil: ReadonlyMap<string, Time>;
  /** By prefix, then by identity. */
  readonly #open = new Map<string, Map<string, Episode>>();
  readonly #changed = new Set<Episode>();
  readonly #supernets = new Map<string, string | null>();

  /** @param announcedUntil newest announcements of stored records: a withdrawal that comes late does not end them before */
  constructor(announcedUntil: ReadonlyMap<string, Time> = new Map()) {
    this.#announcedUntil = announcedUntil;
  }

  /** Continues an open episode of an earlier run. */
  restore(episode: Episode): void {
    this.#of(episode.prefix).set(identityOf(episode.prefix, episode.hijacker, episode.type), episode);
  }

  /** Episodes that began, changed or ended. */
  get changed(): readonly Episode[] {
    return [...this.#changed];
  }

  /** A hijacked announcement. @returns its episode */
  announce(message: Message, finding: Finding): Episode {
    const { time, prefix, peer, path } = message;
    const identity = identityOf(prefix, finding.hijacker, finding.type);
    const episodes = this.#of(prefix);
    let episode = episodes.get(identity);
    if (episode === undefined) {
      episode = begin(message, finding);
      episodes.set(identity, episode);
    }
    if (time < episode.started) {
      episode.started = time;
      episode.firstPath = path;
    }
    if (time >= episode.lastAnnounced) {
      episode.lastAnnounced = time;
      episode.lastPath = path;
      episode.rule = finding.rule;
      episode.configuredPrefix = finding.configuredPrefix;
      episode.configuredAt = finding.configuredAt;
    }
    episode.last = Math.max(episode.last, time);
    episode.annotation = finding.annotate(episode.annotation);
    for (const asn of finding.infected) episode.infected.add(asn);
    if (peer !== null) {
      const state = episode.peers.get(peer);
      if (state === undefined) episode.peers.set(peer, { first: time, last: time, withdrawn: null });
      else {
        state.first = Math.min(state.first, time);
        state.last = Math.max(state.last, time);
        if (state.withdrawn !== null && state.withdrawn < state.last) state.withdrawn = null;
      }
    }
    this.#changed.add(episode);
    return episode;
  }

  /** A withdrawal. @returns the open episodes of its prefix that its monitor saw */
  withdraw({ prefix, peer, time }: Message): Episode[] {
    if (peer === null) return [];
    const seen = this.#seen(prefix, peer);
    for (const episode of seen) {
      const state = episode.peers.get(peer)!;
      if (time < state.last) continue;
      this.#changed.add(episode);
      if (state.withdrawn !== null) {
        state.withdrawn = Math.max(state.withdrawn, time);
        continue;
      }
      state.withdrawn = time;
      episode.last = Math.max(episode.last, time);
      const withdrawn = [...episode.peers.values()].filter((each) => each.withdrawn !== null).length;
      if (time < (this.#announcedUntil.get(episode.key) ?? time)) continue;
      if (enoughWithdrawn(withdrawn, episode.peers.size)) {
        episode.ended = episode.last;
        this.#of(prefix).delete(identityOf(prefix, episode.hijacker, episode.type));
        if (this.#of(prefix).size === 0) this.#open.delete(prefix);
      }
    }
    return seen;
  }

  /** The prefix whose hijacks a benign announcement withdraws, because its monitor saw them: its own, else the one that is one bit shorter. */
  replacedBy({ prefix, peer }: Message): string | undefined {
    if (peer === null || this.#open.size === 0) return undefined;
    if (this.#seen(prefix, peer).length > 0) return prefix;
    const supernet = this.supernetOf(prefix);
    return supernet !== null && this.#seen(supernet, peer).length > 0 ? supernet : undefined;
  }

  /** A benign announcement. */
  replace(message: Message, prefix = this.replacedBy(message)): void {
    if (prefix !== undefined) this.withdraw({ ...message, prefix });
  }

  /** The prefix that is one bit shorter; null for a prefix of length 0. */
  supernetOf(prefix: string): string | null {
    let supernet = this.#supernets.get(prefix);
    if (supernet === undefined) {
      if (this.#supernets.size > 100_000) this.#supernets.clear();
      supernet = supernetOf(prefix);
      this.#supernets.set(prefix, supernet);
    }
    return supernet;
  }

  #seen(prefix: string, peer: number): Episode[] {
    return [...(this.#open.get(prefix)?.values() ?? [])].filter((episode) => episode.peers.has(peer));
  }

  #of(prefix: string): Map<string, Episode> {
    let episodes = this.#open.get(prefix);
    if (episodes === undefined) {
      episodes = new Map();
      this.#open.set(prefix, episodes);
    }
    return episodes;
  }
}

/** The key comes from the first judged update, so that each run over the same updates gives the same. */
function begin({ key, time, prefix, path }: Message, finding: Finding): Episode {
  const { type, hijacker, rule, configuredPrefix, configuredAt } = finding;
  return {
    key: createHash("md5")
      .update(`${identityOf(prefix, hijacker, type)}|${time}|${key}`)
      .digest("hex"),
    prefix,
    type,
    hijacker,
    rule,
    configuredPrefix,
    configuredAt,
    started: time,
    last: time,
    lastAnnounced: time,
    ended: null,
    peers: new Map(),
    infected: new Set(),
    annotation: "NA",
    firstPath: path,
    lastPath: path,
    parent: null,
    isStored: false,
  };
}

export function supernetOf(text: string): string | null {
  const prefix = parsePrefix(text);
  return prefix === undefined || prefix.length === 0 ? null : printPrefix(truncated(prefix, prefix.length - 1));
}

/** The two prefixes that are one bit longer; none of an address. */
export function halvesOf(text: string): string[] {
  const prefix = parsePrefix(text);
  const width = prefix?.family === 4 ? 32 : 128;
  if (prefix === undefined || prefix.length === width) return [];
  const half = (bits: bigint): Prefix => ({ family: prefix.family, length: prefix.length + 1, bits });
  return [half(prefix.bits), half(prefix.bits | (1n << BigInt(width - prefix.length - 1)))].map(printPrefix);
}
