import type { Message, Time } from "./episodes.ts";

/** The last message of a peer about a prefix. */
export interface PeerState {
  readonly announced: boolean;
  readonly last: Time;
}

/** Fewer peers than wanted announce a prefix, after enough had announced it. */
export interface Loss {
  readonly prefix: string;
  readonly started: Time;
  /** Null while it lasts. */
  ended: Time | null;
  readonly minPeers: number;
  /** The fewest peers that announced the prefix meanwhile. */
  left: number;
}

/** A watched prefix as earlier runs left it. */
export interface KnownPrefix {
  /** Peers that announce it. */
  readonly count: number;
  /** Its newest update. */
  readonly newest: Time;
  readonly loss: Loss | undefined;
  /** Those whose updates follow. */
  readonly peers: ReadonlyMap<number, PeerState>;
}

interface Watched {
  readonly minPeers: number;
  readonly peers: Map<number, PeerState>;
  readonly changed: Set<number>;
  count: number;
  newest: Time;
  loss: Loss | undefined;
}

/**
 * Losses of visibility. Takes updates in the order of their time. A late update counts for its peer unless the peer has a newer one; it begins
 * or ends a loss at the newest time of the prefix. A peer whose session ends sends no withdrawal, and keeps its state until it speaks again.
 */
export class Visibility {
  readonly #watched = new Map<string, Watched>();
  readonly #losses = new Map<string, Loss>();

  /** @param known undefined for a prefix without judged updates */
  watch(prefix: string, minPeers: number, known?: KnownPrefix): void {
    const { count = 0, newest = 0, loss, peers } = known ?? {};
    this.#watched.set(prefix, { minPeers, peers: new Map(peers), changed: new Set(), count, newest, loss });
  }

  add({ prefix, peer, type, time }: Message): void {
    const watched = this.#watched.get(prefix);
    if (watched === undefined || peer === null) return;
    const before = watched.peers.get(peer);
    const announced = type === "A";
    // As for hijacks, a withdrawal comes after the announcements of its time, in whichever order runs read them.
    if (before !== undefined && (time < before.last || (time === before.last && announced))) return;
    watched.peers.set(peer, { announced, last: time });
    watched.changed.add(peer);
    watched.newest = Math.max(watched.newest, time);
    const difference = Number(announced) - Number(before?.announced ?? false);
    if (difference !== 0) this.#count(prefix, watched, watched.count + difference);
  }

  #count(prefix: string, watched: Watched, count: number): void {
    const { minPeers, newest, loss } = watched;
    const wasVisible = watched.count >= minPeers;
    watched.count = count;
    if (loss !== undefined) {
      loss.left = Math.min(loss.left, count);
      if (count >= minPeers) {
        loss.ended = Math.max(loss.started, newest);
        watched.loss = undefined;
      }
      this.#changed(loss);
    } else if (wasVisible && count < minPeers) {
      watched.loss = { prefix, started: newest, ended: null, minPeers, left: count };
      this.#changed(watched.loss);
    }
  }

  #changed(loss: Loss): void {
    this.#losses.set(`${loss.prefix} ${loss.started}`, loss);
  }

  /** Losses that began, changed or ended, in the order of their beginning for each prefix. */
  get losses(): readonly Loss[] {
    return [...this.#losses.values()];
  }

  /** The states of peers that updates have changed. */
  *states(): Generator<{ readonly prefix: string; readonly peer: number } & PeerState> {
    for (const [prefix, { peers, changed }] of this.#watched)
      for (const peer of changed) yield { prefix, peer, ...peers.get(peer)! };
  }
}
