/** Properties of a task that affect the order. */
export interface Scheduled {
  /** Whether the task runs alone, because it uses every processor or is sensitive to other load. */
  readonly alone?: boolean;
}

/**
 * Runs all tasks in the given order, at most one per lane at a time. An exclusive task waits until no other runs, and later tasks wait
 * for its end. Returns the results in the given order. `stopped` is checked before each start; tasks that were not started have no
 * result.
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
