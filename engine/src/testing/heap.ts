import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** About 8 kB, to be held by what is looked at. */
export function payload(): readonly number[] {
  return Array.from({ length: 1_000 }, () => 0.5);
}

const collector = (): ((options?: { readonly type: "minor" }) => void) => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
};

/** Bytes of the heap that something holds: what is there after it was made, and was not before. */
export function heldBy(make: () => void): number {
  const collect = collector();
  collect();
  const before = getHeapStatistics().used_heap_size;
  make();
  collect();
  return getHeapStatistics().used_heap_size - before;
}

/**
 * Bytes by which the heap grows over so many turns while nothing but its young part is collected, as it is between two collections
 * of the whole: what was let go of, and is still there then, is kept alive by something that was let go of before it.
 */
export async function growthOver(turns: number, turn: (index: number) => Promise<void> | void): Promise<number> {
  const collect = collector();
  collect();
  const before = getHeapStatistics().used_heap_size;
  for (let index = 0; index < turns; index += 1) {
    await turn(index);
    if (index % 10 === 0) collect({ type: "minor" });
  }
  return getHeapStatistics().used_heap_size - before;
}
