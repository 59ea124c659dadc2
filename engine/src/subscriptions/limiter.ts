/** Runs at most `width` tasks at a time; the others wait in order. */
export type Limiter = <Result>(task: () => Promise<Result>) => Promise<Result>;

export function createLimiter(width: number): Limiter {
  const waiting: (() => void)[] = [];
  let running = 0;

  return async (task) => {
    if (running >= width) await new Promise<void>((proceed) => waiting.push(proceed));
    else running += 1;
    try {
      return await task();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
