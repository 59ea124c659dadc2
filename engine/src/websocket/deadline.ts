/** Node's timers hold 32 bits of milliseconds; a longer one would fire at once. */
const longestTimer = 2_147_483_647;

/** Calls `reached` once the clock shows `at`, never before. Infinity never fires. Returns a function that cancels it. */
export function onDeadline(at: number, now: () => number, reached: () => void): () => void {
  if (at === Infinity) return () => undefined;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = at - now();
    if (left <= 0) reached();
    else timer = setTimeout(wait, Math.min(left, longestTimer));
  };
  timer = setTimeout(wait, Math.min(Math.max(at - now(), 0), longestTimer));
  return () => clearTimeout(timer);
}
