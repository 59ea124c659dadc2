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
 * Growth of the running time when the input is doubled three times: 8 for linear work, 64 for quadratic work. The first size is the
 * smallest with a measurable time; if even 2 Mi takes less, the work counts as linear.
 */
export function growth<Input>(make: (size: number) => Input, work: (input: Input) => void, from = 2 ** 14): number {
  for (let size = from; size <= largest; size *= 2) {
    const [small, large] = [make(size), make(8 * size)];
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
  return 8;
}

/** Between linear and quadratic growth; inputs larger than the processor's caches can cost several times as much each. */
export const linear = 40;
