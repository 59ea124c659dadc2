import { derive } from "../inputs.ts";
import { configurationText } from "../settings/values/feed-configuration.ts";
import type { Settings } from "../settings/list.ts";
import { filesDirectory, type OutsideName, type ServiceDescription } from "../description/service.ts";

export const hasFeed = ({ feed }: Pick<Settings, "feed">): boolean => feed !== "off";

type FeedSettings = Pick<
  Settings,
  | "feed"
  | "feedConfiguration"
  | "feedPrefixes"
  | "feedCollectors"
  | "feedUrl"
  | "feedExabgpAddress"
  | "feedExabgpCollector"
  | "feedVrpsAddress"
  | "feedVrpsMinutes"
>;

const reads = ({ feed }: Pick<Settings, "feed">, source: string): boolean => feed.split(",").includes(source);

/** Addresses of the external services that the feed calls. */
export function feedPlaces(settings: FeedSettings): Partial<Record<OutsideName, FeedSettings["feedUrl"]>> {
  const { feedUrl, feedExabgpAddress, feedVrpsAddress } = settings;
  return {
    ...(reads(settings, "ris-live") ? { collectors: feedUrl } : {}),
    ...(reads(settings, "exabgp") && feedExabgpAddress !== undefined
      ? { exabgp: derive(feedExabgpAddress, (address) => `tcp://${address}`) }
      : {}),
    ...(hasFeed(settings) && feedVrpsAddress !== undefined ? { validator: feedVrpsAddress } : {}),
  };
}

const configurationFile = "feed/configuration.yaml";

/** Live updates into the database. Nothing calls it, and it connects to its sources alone. */
export function describeFeed(settings: FeedSettings & Pick<Settings, "logLevel">): ServiceDescription {
  const { feed, feedConfiguration, feedPrefixes, feedCollectors, feedUrl, logLevel } = settings;
  const { feedExabgpAddress, feedExabgpCollector, feedVrpsAddress, feedVrpsMinutes } = settings;
  const files: ServiceDescription["files"] =
    feedConfiguration === undefined ? {} : { [configurationFile]: configurationText(feedConfiguration) };
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
      ...(feedExabgpAddress === undefined
        ? {}
        : { EXABGP_ADDRESS: feedExabgpAddress, EXABGP_COLLECTOR: feedExabgpCollector }),
      ...(feedVrpsAddress === undefined
        ? {}
        : {
            VRPS_ADDRESS: feedVrpsAddress,
            VRPS_MINUTES: derive(feedVrpsMinutes, String),
            NODE_OPTIONS: "--max-semi-space-size=4 --max-old-space-size=400",
          }),
      ...(feedConfiguration === undefined ? {} : { CONFIGURATION_FILE: `${filesDirectory}/${configurationFile}` }),
      METRICS_PORT: "9090",
      LOG_LEVEL: logLevel,
    },
    secrets: { DATABASE_URL_FILE: "feed-database-url" },
    files,
    ...(feedConfiguration === undefined ? {} : { liveFiles: [configurationFile], followsFiles: true }),
    temporary: { "/tmp": 16 },
    ports: [],
    listens: [],
    metricsPort: 9090,
    health: { kind: "http", port: 9090, path: "/healthz" },
    // Mostly the buffer for an absent database: 48 MiB, and what Node keeps of it. A validator's list of 54 MB, 700,000 payloads, takes 400 MB.
    resources: { memoryMegabytes: feedVrpsAddress === undefined ? 320 : 768, cpuMillicores: 100, processes: 128 },
    calls: ["database"],
    callsOutside: Object.keys(feedPlaces(settings)) as OutsideName[],
    after: ["migrate"],
    graceSeconds: 15,
  };
}
