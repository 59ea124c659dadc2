/** The result of the work, or, after `milliseconds`, a rejection with the error of `late`. 0 = no limit. */
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
