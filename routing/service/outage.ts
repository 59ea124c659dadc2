import type { FeedLogger } from "./log.ts";

/** Milliseconds until the second line about an outage; each further wait is twice as long, up to the most. */
const [least, most] = [10_000, 600_000];

const sentence = "the database does not accept updates; the feed retries";

/** Logs an outage of the database: its start, a sign of it at growing intervals, and its end. All feeds of the process share it. */
export class Outage {
  private readonly log: FeedLogger;
  private readonly failing = new Set<string>();
  private since = 0;
  private attempts = 0;
  private next = 0;
  private wait = least;

  constructor(log: FeedLogger) {
    this.log = log;
  }

  get lasts(): boolean {
    return this.failing.size > 0;
  }

  /** @param source whose updates the database did not accept @param now milliseconds */
  failed(source: string, error: unknown, now = Date.now()): void {
    if (!this.lasts) [this.since, this.attempts, this.next, this.wait] = [now, 0, now, least];
    this.failing.add(source);
    this.attempts += 1;
    if (now < this.next) return;
    this.log.warn({ source, err: error, ...this.extent(now) }, sentence);
    this.next = now + this.wait;
    this.wait = Math.min(most, this.wait * 2);
  }

  /** The database accepted updates of the source. */
  over(source: string, now = Date.now()): void {
    if (this.failing.delete(source) && !this.lasts)
      this.log.info({ source, ...this.extent(now) }, "the database accepts updates again");
  }

  private extent(now: number): object {
    return { seconds: Math.round((now - this.since) / 1000), attempts: this.attempts };
  }
}
