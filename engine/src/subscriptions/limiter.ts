import { FairLine, type Claim } from "../postgres/fair-line.ts";

/** Runs at most `width` quick tasks concurrently. Clients with waiting tasks are served in turn. */
export type Limiter = <Result>(client: string, task: () => Promise<Result>) => Promise<Result>;

/** Interval in milliseconds between two checks for tasks that block others. */
const preemptionInterval = 100;

/** A slow task loses its place but continues: the connection pool then decides between it and the others. */
export function createLimiter(width: number): Limiter {
  const line = new FairLine<() => void>(width);
  let free = width;
  let preemption: NodeJS.Timeout | undefined;

  function release(claim: Claim): void {
    line.leave(claim);
    free += 1;
    serve();
  }

  function serve(): void {
    while (free > 0) {
      const proceed = line.shift();
      if (proceed === undefined) return;
      free -= 1;
      proceed();
    }
  }

  function preemptLater(): void {
    preemption ??= setInterval(() => {
      line.preempt();
      if (line.length > 0) return;
      clearInterval(preemption);
      preemption = undefined;
    }, preemptionInterval).unref();
  }

  return async (client, task) => {
    const claim: Claim = { client };
    if (free > 0 && line.enter(claim)) free -= 1;
    else {
      preemptLater();
      await new Promise<void>((proceed) => line.push(claim, proceed));
    }
    claim.preempt = () => release(claim);
    try {
      return await task();
    } finally {
      if (claim.isPreempted !== true) release(claim);
      claim.preempt = undefined;
    }
  };
}
