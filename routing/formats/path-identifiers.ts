import type { PlainFamilies } from "./nlri.ts";

/** Paths of one prefix beyond this number of prefixes are forgotten: then a withdrawal counts for the prefix. */
const mostPrefixes = 1_000_000;

/** Further paths of one prefix are not remembered: a peer could otherwise announce four billion. */
const mostPaths = 1_000;

/**
 * The paths that peers with ADD-PATH (RFC 7911) have announced for a prefix. The withdrawal of one path withdraws the prefix only if no
 * other announced path remains.
 */
export class PathIdentifiers {
  /** By peer, then by prefix. */
  private readonly announced = new Map<string, Map<string, Set<number>>>();
  private prefixes = 0;
  /** Peers with a family. */
  private readonly plain = new Set<string>();

  /** The families of a peer with ADD-PATH for another family only. */
  plainFamilies(peer: string): PlainFamilies {
    return {
      has: (family) => this.plain.has(`${peer}|${family}`),
      set: (family, isPlain) => {
        if (!isPlain) this.plain.delete(`${peer}|${family}`);
        else if (this.plain.size < mostPrefixes) this.plain.add(`${peer}|${family}`);
      },
    };
  }

  /** @param peer any text that identifies the session @param pathId undefined without ADD-PATH, which changes nothing */
  announce(peer: string, prefix: string, pathId: number | undefined): void {
    if (pathId === undefined) return;
    const known = this.announced.get(peer) ?? new Map<string, Set<number>>();
    const paths = known.get(prefix);
    if (paths !== undefined) {
      if (paths.size < mostPaths) paths.add(pathId);
    } else if (this.prefixes < mostPrefixes) {
      known.set(prefix, new Set([pathId]));
      this.announced.set(peer, known);
      this.prefixes += 1;
    }
  }

  /** Forgets a withdrawn path. @returns whether another announced path of the prefix remains */
  remainsAfter(peer: string, prefix: string, pathId: number | undefined): boolean {
    if (pathId === undefined) return false;
    const known = this.announced.get(peer);
    const paths = known?.get(prefix);
    if (known === undefined || paths === undefined) return false;
    paths.delete(pathId);
    if (paths.size > 0) return true;
    known.delete(prefix);
    this.prefixes -= 1;
    return false;
  }

  /** Forgets all paths of a peer: a session that ends takes its routes along (RFC 4271 section 8.2.2). */
  forget(peer: string): void {
    this.prefixes -= this.announced.get(peer)?.size ?? 0;
    this.announced.delete(peer);
    for (const family of [1, 2]) this.plain.delete(`${peer}|${family}`);
  }
}
