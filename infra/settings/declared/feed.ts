/** Live updates of BGP: a section of the list in list.ts. */
import { matching, oneOf, urlOf } from "../values/checks.ts";
import { text } from "../values/setting.ts";

export const feedSettings = {
  feed: text({
    argument: "feed.kind",
    environment: "FEED",
    structural: true,
    default: "off",
    meaning: "Live updates: none, or RIPE RIS Live of the internet.",
    ...oneOf("off", "ris-live"),
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
    ...urlOf("wss", "ws"),
  }),
} as const;
