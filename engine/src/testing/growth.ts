import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Processor time of this thread in microseconds; excludes other load on the machine. */
function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/** Shorter times are too imprecise to show growth; in microseconds. */
const measurable = 1_000;

const fewestRuns = 3;
const mostRuns = 12;

const largest = 2 ** 21;

/**
 * Growth of the running time when the input is doubled four times: 16 for linear work, 256 for quadratic work. The first size is the
 * smallest with a measurable time; if even 2 Mi takes less, the work counts as linear.
 */
export function growth<Input>(make: (size: number) => Input, work: (input: Input) => void, from = 2 ** 14): number {
  for (let size = from; size <= largest; size *= 2) {
    const [small, large] = [make(size), make(16 * size)];
    let [once, grown] = [Infinity, Infinity];
    // Alternating, so that both run as compiled code in the end. More runs bring the minimum closer to that of an idle machine.
    for (let run = 0; run < fewestRuns || (run < mostRuns && grown / once >= linear); run += 1) {
      once = Math.min(
        once,
        processorTime(() => work(small)),
      );
      if (once < measurable) break;
      grown = Math.min(
        grown,
        processorTime(() => work(large)),
      );
    }
    if (once >= measurable) return grown / once;
  }
  return 16;
}

/**
 * Processor time of some work as a multiple of that of other work; both run as compiled code in the end. The other work is repeated
 * for 100 ms, because some kernels count in steps of 10 ms.
 */
export function timeRatio(work: () => void, other: () => void): number {
  let [own, others] = [0, 0];
  for (let run = 0; run < 2 * mostRuns || others < 100 * measurable; run += 1) {
    const [once, reference] = [processorTime(work), processorTime(other)];
    if (run < mostRuns) continue;
    own += once;
    others += reference;
  }
  return own / others;
}

/** Between linear and quadratic growth; inputs larger than the processor's caches can cost several times as much each. */
export const linear = 100;

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

/** Heap bytes that some work leaves behind. */
export async function leftBy(work: () => Promise<void>): Promise<number> {
  const collect = collector();
  collect();
  const before = getHeapStatistics().used_heap_size;
  await work();
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
