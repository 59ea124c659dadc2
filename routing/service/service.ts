import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { clientConfig, LibpqClient } from "@routeql/contract/connection/client";
import { readConnection } from "@routeql/contract/connection/connection";
import type { Client } from "pg";
import { forgetOtherSources, unfilledGaps } from "../batches/live-gaps.ts";
import { ExabgpSource } from "../sources/exabgp.ts";
import type { LiveSource } from "../sources/live-source.ts";
import { RisLiveSource } from "../sources/ris-live.ts";
import { ActiveSources } from "./active-sources.ts";
import { runFeed } from "./feed.ts";
import type { FeedLogger } from "./log.ts";
import { followConfiguration } from "./followed-configuration.ts";
import { createMetrics, type FeedMetrics } from "./metrics.ts";
import { Outage } from "./outage.ts";
import type { FeedSettings } from "./settings.ts";
import { VrpsSchedule } from "./vrps-schedule.ts";

export interface FeedService {
  readonly metricsPort: number;
  /** Settles when every feed has ended. */
  readonly ended: Promise<void>;
  /** Stores what has arrived, within 8 seconds. */
  stop(): Promise<void>;
}

/** Milliseconds between two looks for new configured prefixes. */
const refreshing = 60_000;

/** Starts a feed for each source of the settings. */
export async function startService(settings: FeedSettings, log: FeedLogger): Promise<FeedService> {
  const metrics = createMetrics();
  const stopping = new AbortController();
  const connect = connector(settings.DATABASE_URL);
  const patientConnect = connector(settings.DATABASE_URL, 0);
  const firstConfiguration = Promise.withResolvers<void>();
  const prefixes = async (): Promise<readonly string[]> => {
    const configured = await configuredPrefixes(connect);
    if (configured.length > 0 || settings.CONFIGURATION_FILE === undefined) return configured;
    // A new stack: the file has the first prefixes.
    await firstConfiguration.promise;
    return configuredPrefixes(connect);
  };
  const sources = settings.FEED_SOURCES.map((name) => createSource(name, settings, prefixes, log));
  const names = sources.map(({ name }) => name);
  const countGaps = async (): Promise<void> => {
    const client = await connect();
    try {
      await forgetOtherSources(client, names);
      const gaps = await unfilledGaps(client);
      for (const name of names) metrics.unfilledGaps.set({ source: name }, gaps.get(name) ?? 0);
    } finally {
      await client.end().catch(() => {});
    }
  };
  const outage = new Outage(log);
  const warn = (sentence: string) => (error: unknown) => {
    // The outage has lines of its own.
    if (!outage.lasts) log.warn({ err: error }, sentence);
  };
  const watchGaps = (): void => void countGaps().catch(warn("the gaps cannot be read"));
  watchGaps();
  const subscribe = (): void => {
    for (const source of sources)
      if (source instanceof RisLiveSource) source.refresh().catch(warn("the configured prefixes cannot be read"));
  };
  const timer = setInterval(() => {
    watchGaps();
    subscribe();
  }, refreshing);
  const { VRPS_ADDRESS: address, VRPS_MINUTES: minutes } = settings;
  const vrps = address === undefined ? undefined : new VrpsSchedule(address, minutes, patientConnect, log);
  const server = createHttpServer(metrics);
  server.listen(settings.METRICS_PORT);
  await once(server, "listening");
  const active = new ActiveSources(names);
  const bufferBytes = settings.BUFFER_MIB * 1_048_576;
  const feeds = sources.map((source) => {
    const onActive = (isActive: boolean): void => {
      active.set(source.name, isActive);
      metrics.active.set({ source: source.name }, isActive ? 1 : 0);
    };
    return runFeed({ source, connect, metrics, bufferBytes, log, outage, onActive }, stopping.signal);
  });
  const { CONFIGURATION_FILE: file } = settings;
  const following =
    file !== undefined &&
    followConfiguration(
      {
        file,
        connect: patientConnect,
        log,
        onState: (isApplied) => {
          metrics.configurationApplied.set(isApplied ? 1 : 0);
          firstConfiguration.resolve();
        },
        onApplied: subscribe,
        isActive: () => active.decides,
      },
      stopping.signal,
    );
  const end = async (): Promise<void> => {
    await Promise.all([...feeds, following]);
    clearInterval(timer);
    vrps?.[Symbol.dispose]();
    server.close();
    server.closeAllConnections();
  };
  const ended = end();
  return {
    metricsPort: (server.address() as AddressInfo).port,
    ended,
    stop: async () => {
      stopping.abort();
      await ended;
    },
  };
}

function createSource(
  name: string,
  settings: FeedSettings,
  configured: () => Promise<readonly string[]>,
  log: FeedLogger,
): LiveSource {
  const onProblem = (sentence: string) => log.warn({ source: name }, sentence);
  if (name === "exabgp") return new ExabgpSource(settings.EXABGP_COLLECTOR, settings.EXABGP_ADDRESS!, onProblem);
  let known: readonly string[] = [];
  return new RisLiveSource({
    url: settings.RIS_LIVE_URL,
    collectors: settings.RIS_LIVE_COLLECTORS,
    onProblem,
    prefixes: async () => {
      if (settings.RIS_LIVE_PREFIXES === "all") return "all";
      // While the database is away, the last known prefixes serve.
      known = await configured().catch((error: unknown) => {
        if (known.length === 0) throw error;
        return known;
      });
      if (known.length === 0) throw new Error("no prefix is configured (npm run detect)");
      return known;
    },
  });
}

async function configuredPrefixes(connect: () => Promise<Client>): Promise<readonly string[]> {
  const client = await connect();
  try {
    const query = "select prefix::text from routing.configured_prefixes order by prefix";
    return (await client.query<{ prefix: string }>(query)).rows.map(({ prefix }) => prefix);
  } finally {
    await client.end().catch(() => {});
  }
}

/** Connections that notice a lost machine. @param patience milliseconds for one statement; 0 for any */
function connector(url: string, patience = 70_000): () => Promise<Client> {
  const config = clientConfig(readConnection(url));
  return async () => {
    const client = new LibpqClient({
      ...config,
      application_name: "routeql-feed",
      connectionTimeoutMillis: 5_000,
      query_timeout: patience,
      keepAlive: true,
      keepAliveInitialDelayMillis: 3_000,
    });
    client.on("error", () => {}); // a broken connection fails the next statement
    await client.connect();
    return client;
  };
}

/** GET /metrics in Prometheus' text format, and GET /healthz, which answers while the process works. */
const createHttpServer = ({ registry }: FeedMetrics): Server =>
  createServer((request, response) => {
    if (request.method === "GET" && request.url === "/healthz")
      response.writeHead(200, { "content-type": "text/plain" }).end("ok\n");
    else if (request.method === "GET" && request.url === "/metrics")
      registry.metrics().then(
        (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
        () => response.writeHead(500).end(),
      );
    else response.writeHead(404).end();
  });
