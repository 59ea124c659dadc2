import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import { setTimeout as after } from "node:timers/promises";
import type { StartedDatabaseContainer } from "@routeql/tests/harness/containers/database-container";
import { FakeRisLive } from "@routeql/tests/harness/fake-ris-live";
import { freePorts } from "@routeql/tests/harness/free-ports";
import { compileCache } from "../measure/server-process.ts";
import { percentile } from "../measure/statistics.ts";

export interface LiveRow {
  readonly rate: number;
  readonly seconds: number;
  readonly sent: number;
  /** Rows that no reader sees after a minute. */
  readonly missing: number;
  /** Seconds from the sending of an update until a reader sees it. */
  readonly median: number;
  readonly p95: number;
  readonly most: number;
  /** Most resident memory of the feed, MiB. */
  readonly memory: number;
}

/** Milliseconds between two bundles of updates. */
const step = 100;
/** Milliseconds between two looks of the reader. */
const look = 50;

/** The service with a server that sends updates at a rate, and a reader of the view. */
export async function benchLive(database: StartedDatabaseContainer, rate: number, seconds: number): Promise<LiveRow> {
  await using server = await FakeRisLive.start();
  await using reader = await database.connect("engine");
  const [metricsPort] = await freePorts(1);
  const program = ["--max-semi-space-size=4", "--max-old-space-size=160", "routing/service/main.ts"];
  const cwd = resolve(import.meta.dirname, "../..");
  // Like the image: a run without settings, which exits at once, compiles the code.
  spawnSync(process.execPath, program, { cwd, env: { NODE_COMPILE_CACHE: compileCache } });
  const feed = spawn(process.execPath, program, {
    cwd,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: compileCache,
      DATABASE_URL: database.getConnectionUri("feed"),
      FEED_SOURCES: "ris-live",
      RIS_LIVE_URL: server.url,
      RIS_LIVE_PREFIXES: "all",
      METRICS_PORT: String(metricsPort),
      LOG_LEVEL: "warn",
    },
    stdio: ["ignore", "ignore", "inherit"],
  });
  try {
    while (server.subscriptions.length === 0) await after(look);
    await after(1_000);
    let memory = 0;
    const sampling = setInterval(() => {
      void memoryOf(metricsPort!).then((bytes) => (memory = Math.max(memory, bytes)));
    }, 1_000);
    const { sent, times } = await sendAndRead(server, reader, rate, seconds);
    clearInterval(sampling);
    const first = `where "timestamp" >= to_timestamp($1) at time zone 'UTC'`;
    let missing = sent;
    // The last bundle may be in several transactions.
    for (const until = performance.now() + 60_000; missing > 0 && performance.now() < until; await after(look)) {
      const { rows } = await reader.query<{ count: number }>(
        `select count(*)::integer as count from view_bgpupdates ${first}`,
        [times.began],
      );
      missing = sent - (rows[0]?.count ?? 0);
    }
    const delays = Float64Array.from(times.delays);
    return {
      rate,
      seconds,
      sent,
      missing,
      median: percentile(delays, 0.5),
      p95: percentile(delays, 0.95),
      most: percentile(delays, 1),
      memory: memory / 1_048_576,
    };
  } finally {
    feed.kill("SIGTERM");
    await once(feed, "exit");
  }
}

async function sendAndRead(
  server: FakeRisLive,
  reader: Awaited<ReturnType<StartedDatabaseContainer["connect"]>>,
  rate: number,
  seconds: number,
): Promise<{ sent: number; times: { began: number; delays: readonly number[] } }> {
  /** Times of the bundles that the reader has not seen, in seconds. */
  const waiting: number[] = [];
  const delays: number[] = [];
  const began = Math.floor(Date.now() / 1000);
  const end = performance.now() + seconds * 1000;
  let sent = 0;
  const over = new AbortController();
  const reading = (async () => {
    for (
      let patience = 60_000;
      !over.signal.aborted || (waiting.length > 0 && patience > 0);
      patience -= over.signal.aborted ? look : 0
    ) {
      const { rows } = await reader.query<{ newest: number | null }>(
        `select extract(epoch from max("timestamp"))::float8 as newest from view_bgpupdates`,
      );
      const [now, newest] = [Date.now() / 1000, rows[0]?.newest ?? 0];
      while (waiting.length > 0 && waiting[0]! <= newest + 0.000_01) delays.push(now - waiting.shift()!);
      await after(look);
    }
  })();
  for (let next = performance.now(); next < end; next += step) {
    const now = Date.now() / 1000;
    for (let count = (rate * step) / 1000; count > 0; count -= 1) {
      const prefix = `2001:db8:${(sent % 65_536).toString(16)}::/48`;
      server.send(now, { prefix, id: `${now}-${sent}` });
      sent += 1;
    }
    waiting.push(now);
    await after(Math.max(0, next + step - performance.now()));
  }
  over.abort();
  await reading;
  return { sent, times: { began, delays } };
}

async function memoryOf(port: number): Promise<number> {
  const text = await fetch(`http://127.0.0.1:${port}/metrics`).then(
    (answer) => answer.text(),
    () => "",
  );
  return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1] ?? 0);
}
