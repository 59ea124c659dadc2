/** Paths of one prefix beyond this number of prefixes are forgotten: then a withdrawal counts for the prefix. */
const mostPrefixes = 1_000_000;

/**
 * The paths that peers with ADD-PATH (RFC 7911) have announced for a prefix. The withdrawal of one path withdraws the prefix only if no
 * other announced path remains.
 */
export class PathIdentifiers {
  private readonly announced = new Map<string, Set<number>>();

  /** @param peer any text that identifies the session @param pathId undefined without ADD-PATH, which changes nothing */
  announce(peer: string, prefix: string, pathId: number | undefined): void {
    if (pathId === undefined) return;
    const key = `${peer}|${prefix}`;
    const paths = this.announced.get(key);
    if (paths !== undefined) paths.add(pathId);
    else if (this.announced.size < mostPrefixes) this.announced.set(key, new Set([pathId]));
  }

  /** Forgets a withdrawn path. @returns whether another announced path of the prefix remains */
  remainsAfter(peer: string, prefix: string, pathId: number | undefined): boolean {
    if (pathId === undefined) return false;
    const key = `${peer}|${prefix}`;
    const paths = this.announced.get(key);
    if (paths === undefined) return false;
    paths.delete(pathId);
    if (paths.size === 0) this.announced.delete(key);
    return paths.size > 0;
  }
}
