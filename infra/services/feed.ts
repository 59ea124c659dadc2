import type { Settings } from "../settings/list.ts";
import type { ServiceDescription } from "./description.ts";

export const hasFeed = ({ feed }: Pick<Settings, "feed">): boolean => feed !== "off";

/** Live updates into the database. Nothing calls it; it alone may connect to the internet. */
export function describeFeed({
  feed,
  feedPrefixes,
  feedCollectors,
  feedUrl,
  logLevel,
}: Pick<Settings, "feed" | "feedPrefixes" | "feedCollectors" | "feedUrl" | "logLevel">): ServiceDescription {
  return {
    name: "feed",
    run: "service",
    image: "feed",
    command: ["node", "routing/service/main.ts"],
    user: 10_115,
    environment: {
      FEED_SOURCES: feed,
      RIS_LIVE_URL: feedUrl,
      RIS_LIVE_PREFIXES: feedPrefixes,
      ...(feedCollectors === undefined ? {} : { RIS_LIVE_COLLECTORS: feedCollectors }),
      METRICS_PORT: "9090",
      LOG_LEVEL: logLevel,
    },
    secrets: { DATABASE_URL_FILE: "feed-database-url" },
    files: {},
    temporary: { "/tmp": 16 },
    ports: [],
    listens: [],
    metricsPort: 9090,
    health: { kind: "http", port: 9090, path: "/healthz" },
    // Mostly the buffer for an absent database: 48 MiB, and what Node keeps of it.
    resources: { memoryMegabytes: 320, cpuMillicores: 100, processes: 128 },
    calls: ["database"],
    callsOutside: ["collectors"],
    after: ["migrate"],
    graceSeconds: 15,
  };
}
