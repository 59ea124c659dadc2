import { setTimeout as after } from "node:timers/promises";
import { type Client, DatabaseError } from "pg";
import { becomeFeed, LiveWriter } from "../batches/live-writer.ts";
import type { LogEntry } from "../batches/live-log.ts";
import type { LiveSource } from "../sources/live-source.ts";
import { Intake } from "./intake.ts";
import type { FeedLogger } from "./log.ts";
import type { FeedMetrics } from "./metrics.ts";
import type { Outage } from "./outage.ts";

export interface FeedOptions {
  readonly source: LiveSource;
  /** Opens a connection as the role of the feed. */
  readonly connect: () => Promise<Client>;
  readonly metrics: FeedMetrics;
  readonly bufferBytes: number;
  readonly log: FeedLogger;
  readonly outage: Outage;
  /** Called when this replica becomes the feed of the source, and when it is that no longer. */
  readonly onActive: (isActive: boolean) => void;
}

/** Milliseconds between two attempts to connect, or to become the feed. */
const retry = 1_000;
/** Milliseconds after which the lock of a source belongs to another replica, and not to a former connection of this one. */
const patience = 12_000;
/** Milliseconds in which a stopping feed stores what it has received. */
const lastWords = 8_000;

/**
 * Stores what a source delivers until `stopping` is aborted. Of several feeds of one source the one with its lock is active; the others wait.
 * While the database is away, the active one keeps reading into its bounded buffer, and continues where it stands.
 */
export async function runFeed(options: FeedOptions, stopping: AbortSignal): Promise<void> {
  const { source, metrics, log, outage, onActive } = options;
  const labels = { source: source.name };
  let feed: { readonly intake: Intake; covered: number } | undefined;
  const end = new AbortController();
  stopping.addEventListener("abort", () => {
    source.stop();
    feed?.intake.log.close();
    setTimeout(() => end.abort(), lastWords).unref();
  });
  const isOver = (): boolean =>
    end.signal.aborted || (stopping.aborted && (feed === undefined || feed.intake.log.isEmpty));
  while (!isOver()) {
    let client: Client | undefined;
    try {
      client = await options.connect();
      if (
        !(await waitForTurn(client, source.name, feed === undefined ? stopping : end.signal, () => {
          outage.over(source.name);
          if (feed === undefined) return;
          // Another replica has become the feed, and starts from what is stored: a gap covers the rest.
          log.warn(labels, "another replica is the feed of this source now");
          source.stop();
          feed = undefined;
          onActive(false);
          metrics.connected.set(labels, 0);
        }))
      )
        continue;
      const writer = await LiveWriter.on(client, source.name);
      const place = await writer.place(Date.now());
      if (feed === undefined) {
        const intake = new Intake(
          source,
          metrics,
          options.bufferBytes,
          (sentence) => log.warn(labels, sentence),
          place.coveredUntil,
        );
        feed = { intake, covered: place.coveredUntil };
        if (place.before !== "never") intake.lost(`feed ${place.before}`);
        source.start(intake);
        log.info(
          { ...labels, coveredUntil: new Date(place.coveredUntil).toISOString() },
          "this replica is the feed of the source",
        );
      } else if (place.coveredUntil < feed.covered) {
        // A restored database is older than what this feed has stored.
        const reason = "database restored";
        await writer.write({ kind: "found", at: place.coveredUntil, end: feed.covered, reason }, feed.covered);
      }
      onActive(true);
      for (;;) {
        const entry = await feed.intake.log.head(end.signal);
        if (entry === undefined) break;
        const covered = coveredAfter(entry, feed.covered, source.lateness);
        const added = await store(writer, entry, covered, options);
        outage.over(source.name);
        feed.covered = covered;
        feed.intake.log.removeHead();
        metrics.bufferBytes.set(labels, feed.intake.log.bytes);
        metrics.coveredUntil.set(labels, feed.covered / 1000);
        if (entry.kind === "rows") {
          metrics.updates.inc({ ...labels, outcome: "new" }, added);
          metrics.updates.inc({ ...labels, outcome: "known" }, entry.rows - added);
          metrics.delay.observe(labels, (Date.now() - entry.since) / 1000);
        }
      }
      if (feed.intake.log.isEmpty) await writer.stop(feed.covered);
    } catch (error) {
      metrics.failures.inc(labels);
      outage.failed(source.name, error);
      if (!isOver()) await after(retry, undefined, { signal: end.signal }).catch(() => {});
    } finally {
      if (client !== undefined) await close(client);
    }
  }
  source.stop();
  onActive(false);
}

/** Ends a connection, also one to a machine that is gone. */
async function close(client: Client): Promise<void> {
  const ended = client.end().catch(() => {});
  await Promise.race([ended, after(retry)]);
  (client as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
}

/** Waits until this session is the feed. @param onOther called when another session is @returns false when `signal` ends the wait */
async function waitForTurn(client: Client, source: string, signal: AbortSignal, onOther: () => void): Promise<boolean> {
  const since = Date.now();
  while (!signal.aborted) {
    if (await becomeFeed(client, source)) return true;
    if (Date.now() - since > patience) onOther();
    await after(retry, undefined, { signal }).catch(() => {});
  }
  return false;
}

/** Until when everything is stored after this entry. */
function coveredAfter(entry: LogEntry, covered: number, lateness: number): number {
  if (entry.kind === "rows" || entry.kind === "alive") return Math.max(covered, entry.provenAt - lateness);
  return entry.kind === "end" ? Math.max(covered, entry.at) : covered;
}

/** Classes of Postgres' errors that a second attempt does not change: data, constraints, limits of the program. */
const lasting = /^(?:22|23|54)/;

/** Stores an entry; rows that the database refuses become a gap. @returns new rows */
async function store(
  writer: LiveWriter,
  entry: LogEntry,
  covered: number,
  { source, log }: FeedOptions,
): Promise<number> {
  try {
    return await writer.write(entry, covered);
  } catch (error) {
    if (entry.kind !== "rows" || !(error instanceof DatabaseError) || !lasting.test(error.code ?? "")) throw error;
    log.error(
      { source: source.name, rows: entry.rows, err: error },
      "the database refused these rows; a gap stands for them",
    );
    const at = Date.parse(`${entry.first}Z`);
    await writer.write({ kind: "found", at, end: Date.parse(`${entry.last}Z`), reason: "rows refused" }, covered);
    return 0;
  }
}
