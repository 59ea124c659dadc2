/** Waiting times between attempts: doubling from `least` to `most` milliseconds, each shortened by up to half at random. */
export class Backoff {
  private attempts = 0;
  private readonly least: number;
  private readonly most: number;

  constructor(least: number, most: number) {
    this.least = least;
    this.most = most;
  }

  /** Milliseconds until the next attempt. */
  next(random = Math.random()): number {
    const wait = Math.min(this.most, this.least * 2 ** this.attempts);
    this.attempts += 1;
    return wait * (1 - random / 2);
  }

  /** An attempt succeeded. */
  reset(): void {
    this.attempts = 0;
  }
}
