import { FairLine, type Claim } from "../postgres/fair-line.ts";

/** Runs at most `width` quick tasks at a time. Clients whose tasks wait are served in turn. */
export type Limiter = <Result>(client: string, task: () => Promise<Result>) => Promise<Result>;

/** Milliseconds between two looks at tasks that keep others waiting. */
const preemptionInterval = 100;

/** A task that proves to be slow loses its place, but goes on: the connection pool then decides between it and the others. */
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
