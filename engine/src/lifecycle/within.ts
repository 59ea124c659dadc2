/** The work's outcome, or, once `milliseconds` have passed without one, a rejection with what `late` gives. 0 = wait for ever. */
export function within<Result>(work: Promise<Result>, milliseconds: number, late: () => Error): Promise<Result> {
  if (milliseconds === 0) return work;
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(late()), milliseconds);
    const settle = <Value>(end: (value: Value) => void) => (value: Value): void => {
      clearTimeout(timer);
      end(value);
    };
    work.then(settle(resolve), settle(reject));
  });
}
