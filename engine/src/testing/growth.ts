/** Processor time of this thread, which leaves out what else the machine does; microseconds. */
function processorTime(work: () => void): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/** Times that are shorter say nothing about growth; microseconds. */
const measurable = 1_000;

const fewestRuns = 3;
const mostRuns = 12;

const largest = 2 ** 21;

/**
 * How much longer work takes when its input is doubled three times: 8 for linear work, 64 for quadratic work. The first size is one
 * whose time can be measured; when even 2 Mi takes less than that, the work counts as linear.
 */
export function growth<Input>(make: (size: number) => Input, work: (input: Input) => void, from = 2 ** 14): number {
  for (let size = from; size <= largest; size *= 2) {
    const [small, large] = [make(size), make(8 * size)];
    let [once, grown] = [Infinity, Infinity];
    // In turn, so that both run as compiled code in the end. The least times of more runs are closer to those of an idle machine.
    for (let run = 0; run < fewestRuns || (run < mostRuns && grown / once >= linear); run += 1) {
      once = Math.min(once, processorTime(() => work(small)));
      if (once < measurable) break;
      grown = Math.min(grown, processorTime(() => work(large)));
    }
    if (once >= measurable) return grown / once;
  }
  return 8;
}

/** Between linear and quadratic growth; larger inputs that leave the processor's caches may cost several times as much each. */
export const linear = 40;
