import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** About 8 kB, as content of the objects under test. */
export function payload(): readonly number[] {
  return Array.from({ length: 1_000 }, () => 0.5);
}

const collector = (): ((options?: { readonly type: "minor" }) => void) => {
  setFlagsFromString("--expose-gc");
  return runInNewContext("gc") as (options?: { readonly type: "minor" }) => void;
};

/** Heap bytes of a created object: the difference before and after its creation. */
export function heldBy(make: () => void): number {
  const collect = collector();
  collect();
  const before = getHeapStatistics().used_heap_size;
  make();
  collect();
  return getHeapStatistics().used_heap_size - before;
}

/**
 * Growth of the heap in bytes over a number of turns while only the young generation is collected, as between two full collections.
 * Released objects that remain are kept alive by an earlier released object.
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
