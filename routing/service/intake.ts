import { defaultMaxAgeDays, timeBounds } from "../batches/load-input.ts";
import { LiveLog } from "../batches/live-log.ts";
import { stagedRows } from "../batches/publish.ts";
import { Repetitions } from "../batches/repetitions.ts";
import type { LiveMessage } from "../formats/live-message.ts";
import { Refusal } from "../formats/refusal.ts";
import type { LiveListener, LiveSource } from "../sources/live-source.ts";
import type { FeedMetrics } from "./metrics.ts";

/** Rows of one message. AS sets make up to 1,000 of each prefix, which the buffer could not hold for all prefixes of a message. */
const mostRowsOfMessage = 50_000;

/** Turns what a source delivers into entries of a log: rows, gaps, and the moment until which nothing is missing. */
export class Intake implements LiveListener {
  readonly log: LiveLog;
  private readonly source: LiveSource;
  private readonly metrics: FeedMetrics;
  private readonly warn: (sentence: string) => void;
  private readonly repetitions = new Repetitions();
  private ordinal = 0;
  /** Milliseconds since 1970. */
  private provenAt: number;
  private state: "new" | "connected" | "lost" = "new";
  private bounds = { ...timeBounds(defaultMaxAgeDays), since: Date.now() };

  /** @param coveredUntil where the feed before this one stands in the database */
  constructor(
    source: LiveSource,
    metrics: FeedMetrics,
    mostBytes: number,
    warn: (sentence: string) => void,
    coveredUntil: number,
  ) {
    this.source = source;
    this.metrics = metrics;
    this.warn = warn;
    this.provenAt = coveredUntil + source.lateness;
    metrics.bufferFull.set(this.labels, 0);
    this.log = new LiveLog(mostBytes, (full) => {
      metrics.bufferFull.set(this.labels, full ? 1 : 0);
      if (!full) return source.resume();
      warn("the buffer is full; the source has to wait for the database");
      source.pause();
    });
  }

  private get labels(): { source: string } {
    return { source: this.source.name };
  }

  message(message: LiveMessage): void {
    const now = Date.now();
    this.metrics.messages.inc(this.labels);
    this.metrics.lastMessage.set(this.labels, now / 1000);
    if (now - this.bounds.since > 60_000) this.bounds = { ...timeBounds(defaultMaxAgeDays), since: now };
    let rows = 0;
    let newest = "";
    for (const parsed of message.parsed) {
      if ("skipped" in parsed) this.drop(parsed.skipped);
      else if (parsed instanceof Refusal) this.drop(parsed.reason);
      else if (parsed.timestamp < this.bounds.oldest || parsed.timestamp > this.bounds.newest)
        this.drop("the time is out of range");
      else {
        if (parsed.timestamp > newest) newest = parsed.timestamp;
        const repetition = this.repetitions.number(parsed, message.id, now);
        if (repetition === undefined) {
          this.metrics.updates.inc({ ...this.labels, outcome: "repeated" });
          continue;
        }
        const staged = stagedRows(parsed, (this.ordinal += 1), 0, repetition);
        if (staged instanceof Refusal) this.drop(staged.reason);
        else if ((rows += staged.count) > mostRowsOfMessage) this.drop("the message has more than 50,000 rows");
        else this.log.addRows({ ...staged, timestamp: parsed.timestamp }, now, this.provenAt);
      }
    }
    // The message may have waited in buffers, with later ones that are lost if the connection ends.
    if (this.state === "connected" && newest !== "")
      this.prove(Math.min(now, Math.max(this.provenAt, Date.parse(`${newest}Z`))));
    this.metrics.bufferBytes.set(this.labels, this.log.bytes);
  }

  connected(): void {
    this.state = "connected";
    this.metrics.connected.set(this.labels, 1);
    this.log.add({ kind: "end", at: Date.now() });
    this.alive();
  }

  alive(): void {
    this.prove(Date.now());
  }

  private prove(moment: number): void {
    this.provenAt = moment;
    this.log.prove(moment);
  }

  lost(reason: string): void {
    this.metrics.connected.set(this.labels, 0);
    if (this.state === "lost") return;
    this.state = "lost";
    this.metrics.gaps.inc({ ...this.labels, reason });
    this.warn(`updates are missing from now on: ${reason}`);
    this.log.add({ kind: "gap", at: this.provenAt - this.source.lateness, reason });
  }

  skipped(reason: string): void {
    this.metrics.gaps.inc({ ...this.labels, reason });
    this.log.add({ kind: "found", at: this.provenAt - this.source.lateness, end: Date.now(), reason });
  }

  private drop(reason: string): void {
    this.metrics.dropped.inc({ ...this.labels, reason });
  }
}
