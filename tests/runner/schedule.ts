/** What the order of work needs to know of a piece of work. */
export interface Scheduled {
  /** Nothing else runs beside it: it takes every processor, or it minds what happens on the machine meanwhile. */
  readonly alone?: boolean;
}

/**
 * Does all pieces of work, as many side by side as there are lanes, and starts them in the order given: one that must be alone waits until
 * nothing runs, and those after it wait for its end. Gives the results in the order given.
 * `stopped` is asked before each start; what has not been started then has no result.
 */
export async function inLanes<Work extends Scheduled, Result>(
  works: readonly Work[],
  lanes: number,
  start: (work: Work) => Promise<Result>,
  stopped: () => boolean = () => false,
): Promise<Result[]> {
  const results: (Result | undefined)[] = works.map(() => undefined);
  const running = new Set<Promise<void>>();
  for (const [index, work] of works.entries()) {
    const most = work.alone === true ? 0 : lanes - 1;
    while (running.size > most) await Promise.race(running);
    if (stopped()) break;
    const done: Promise<void> = (async () => {
      results[index] = await start(work);
    })().finally(() => running.delete(done));
    running.add(done);
    if (work.alone === true) await done;
  }
  await Promise.all(running);
  return results.filter((result) => result !== undefined);
}
