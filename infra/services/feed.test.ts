import { expect, test } from "vitest";
import { builtImages } from "../images.ts";
import { describeStack, serviceNamed } from "../testing/descriptions.ts";
import { outsidePlaces } from "../targets/kubernetes/network-rules.ts";

const names = (given: Parameters<typeof describeStack>[0]): string[] => describeStack(given).map(({ name }) => name);

test("there is no feed, no image and no login of it by default", () => {
  expect(names({})).not.toContain("feed");
  expect(builtImages().map(({ name }) => name)).not.toContain("feed");
  expect(serviceNamed(describeStack(), "migrate").secrets).not.toHaveProperty("FEED_PASSWORD_FILE");
});

test("the feed calls the database and RIPE RIS alone, and nothing calls it", () => {
  const services = describeStack({ feed: "ris-live", feedCollectors: "rrc00,rrc25", feedPrefixes: "all" });
  const feed = serviceNamed(services, "feed");
  expect(feed).toMatchObject({ calls: ["database"], callsOutside: ["collectors"], ports: [], listens: [] });
  expect(feed.environment).toMatchObject({ RIS_LIVE_COLLECTORS: "rrc00,rrc25", RIS_LIVE_PREFIXES: "all" });
  expect(services.filter(({ calls }) => calls.includes("feed"))).toEqual([]);
  expect(serviceNamed(services, "migrate").secrets).toMatchObject({ FEED_PASSWORD_FILE: "feed-password" });
  expect(builtImages({ feed: "ris-live" }).map(({ name }) => name)).toContain("feed");
});

test("on Kubernetes the feed may connect to the port of its address", () => {
  expect(outsidePlaces({ collectors: "wss://ris.example.net/v1/ws/?client=routeql" })).toEqual({
    collectors: { ports: [443] },
  });
});
