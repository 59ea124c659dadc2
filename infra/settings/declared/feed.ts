/** Live updates of BGP: a section of the list in list.ts. */
import { hostAndPort, matching, oneOf, range, urlWithoutLogin } from "../values/checks.ts";
import { feedConfiguration } from "../values/feed-configuration.ts";
import { file, number, text } from "../values/setting.ts";

export const feedSettings = {
  feed: text({
    argument: "feed.kind",
    environment: "FEED",
    structural: true,
    default: "off",
    meaning: "Live updates: none, RIPE RIS Live of the internet, your own routers by exabgp, or both.",
    ...oneOf("off", "ris-live", "exabgp", "ris-live,exabgp"),
  }),
  feedConfiguration: file({
    argument: "feed.configuration",
    environment: "FEED_CONFIGURATION",
    structural: true,
    meaning:
      "Configuration for detection, as `npm run detect` reads it. The feed applies a changed file while it runs; prefixes of other files are deleted.",
    ...feedConfiguration,
  }),
  feedPrefixes: text({
    argument: "feed.prefixes",
    environment: "FEED_PREFIXES",
    default: "configured",
    meaning:
      "Updates that the feed subscribes to: those of the configured prefixes (`npm run detect`) with their more specific ones, or all.",
    ...oneOf("configured", "all"),
  }),
  feedCollectors: text({
    argument: "feed.collectors",
    environment: "FEED_COLLECTORS",
    meaning: "Collectors of RIPE RIS that the feed subscribes to, separated by commas. Default: all.",
    ...matching(/^rrc\d\d(,rrc\d\d)*$/, "names such as rrc00, separated by commas"),
  }),
  feedUrl: text({
    argument: "feed.url",
    environment: "FEED_URL",
    default: "wss://ris-live.ripe.net/v1/ws/?client=routeql",
    meaning: "Address of RIPE RIS Live, or of a relay of it.",
    ...urlWithoutLogin("wss", "ws"),
  }),
  feedExabgpAddress: text({
    argument: "feed.exabgpAddress",
    environment: "FEED_EXABGP_ADDRESS",
    meaning: "Host and port on which a process of exabgp offers its JSON lines. The feed connects to it.",
    ...hostAndPort,
  }),
  feedExabgpCollector: text({
    argument: "feed.exabgpCollector",
    environment: "FEED_EXABGP_COLLECTOR",
    default: "own",
    meaning: "Name of this exabgp: the `service` of its updates is `exabgp|<name>`.",
    ...matching(/^[a-z0-9-]{1,32}$/, "up to 32 lower-case letters, digits and hyphens"),
  }),
  feedVrpsAddress: text({
    argument: "feed.vrpsAddress",
    environment: "FEED_VRPS_ADDRESS",
    meaning: "JSON of your RPKI validator, which the feed loads for `rpki_status`.",
    ...urlWithoutLogin("https", "http"),
  }),
  feedVrpsMinutes: number({
    argument: "feed.vrpsMinutes",
    environment: "FEED_VRPS_MINUTES",
    default: 60,
    meaning: "Minutes between two downloads of this list.",
    ...range(5, 1440),
  }),
} as const;
