import { setTimeout as after } from "node:timers/promises";
import type { Update } from "../formats/update.ts";

/** An update of a file, with its number among equal ones of the file. */
export interface NumberedUpdate {
  readonly update: Update;
  readonly repetition: number;
}

/** Updates that one replay holds; memory of about 500 MB. */
export const mostReplayed = 1_000_000;

/** Milliseconds between two batches. */
const step = 100;

/** Updates in the order of their times, each when its moment comes: `speed` seconds of the record are one second here. */
export async function* replay(
  updates: readonly NumberedUpdate[],
  speed: number,
  signal: AbortSignal,
): AsyncGenerator<readonly NumberedUpdate[]> {
  const sorted = updates.toSorted(({ update: one }, { update: other }) =>
    one.timestamp < other.timestamp ? -1 : one.timestamp > other.timestamp ? 1 : 0,
  );
  const [first] = sorted;
  if (first === undefined) return;
  const begin = momentOf(first.update);
  const started = performance.now();
  for (let at = 0; at < sorted.length;) {
    const now = begin + (performance.now() - started) * speed;
    const from = at;
    while (at < sorted.length && momentOf(sorted[at]!.update) <= now) at += 1;
    if (at > from) yield sorted.slice(from, at);
    const next = sorted[at];
    if (next === undefined) return;
    const wait = (momentOf(next.update) - begin) / speed - (performance.now() - started);
    await after(Math.max(step, wait), undefined, { signal });
  }
}

const momentOf = ({ timestamp }: Update): number => Date.parse(`${timestamp}Z`);

/** Gives updates without the AS of their peer the one of their monitor: the first AS of most of its announced paths, as load does. */
export function identifyPeers(updates: readonly NumberedUpdate[]): readonly NumberedUpdate[] {
  const counts = new Map<string, Map<number, number>>();
  for (const { monitor, peerAsn } of updates.map(({ update }) => update)) {
    if (monitor === null || peerAsn === null) continue;
    const ofMonitor = counts.get(monitor) ?? new Map<number, number>();
    counts.set(monitor, ofMonitor.set(peerAsn, (ofMonitor.get(peerAsn) ?? 0) + 1));
  }
  const known = new Map(
    [...counts].map(([monitor, ofMonitor]) => {
      const [most] = [...ofMonitor].toSorted(([one, times], [other, others]) => others - times || one - other);
      return [monitor, most?.[0] ?? null];
    }),
  );
  return updates.map(({ update, repetition }) => {
    const { monitor, peerAsn } = update;
    const identified = peerAsn ?? (monitor === null ? null : (known.get(monitor) ?? null));
    return { update: { ...update, peerAsn: identified, monitor: null }, repetition };
  });
}
