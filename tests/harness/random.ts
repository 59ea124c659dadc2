/** Pseudo-random whole numbers of 32 bits that depend only on the seed (mulberry32), so that a run is repeatable. */
export function randomBits(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
}

/** Numbers in [0, 1) that depend only on the seed. */
export function randomNumbers(seed: number): () => number {
  const bits = randomBits(seed);
  return () => bits() / 2 ** 32;
}

/** Whole numbers from 0 up to, not including, a bound. */
export function randomBelow(seed: number): (bound: number) => number {
  const next = randomNumbers(seed);
  return (bound) => Math.floor(next() * bound);
}
