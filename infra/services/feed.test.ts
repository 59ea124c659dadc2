import { expect, test } from "vitest";
import { builtImages } from "../images.ts";
import { withDefaults } from "../settings/reading/complete.ts";
import { checkValue } from "../settings/reading/parse.ts";
import { describeStack, serviceNamed } from "../testing/descriptions.ts";
import { outsidePlaces } from "../targets/kubernetes/network-rules.ts";
import { feedPlaces } from "./feed.ts";

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

test("the feed calls each of its sources, and the validator", () => {
  const settings = {
    feed: "ris-live,exabgp",
    feedExabgpAddress: "[2001:db8::1]:5000",
    feedVrpsAddress: "https://192.0.2.7/json",
  };
  const feed = serviceNamed(describeStack(settings), "feed");
  expect(feed.callsOutside).toEqual(["collectors", "exabgp", "validator"]);
  expect(feed).toMatchObject({ ports: [], listens: [] });
  expect(feed.environment).toMatchObject({
    FEED_SOURCES: "ris-live,exabgp",
    EXABGP_ADDRESS: "[2001:db8::1]:5000",
    EXABGP_COLLECTOR: "own",
    VRPS_ADDRESS: "https://192.0.2.7/json",
    VRPS_MINUTES: "60",
  });
  expect(feed.resources.memoryMegabytes).toBe(768);
  const places = feedPlaces(withDefaults(settings, "local")) as Record<string, string>;
  expect(outsidePlaces(places)).toEqual({
    collectors: { ports: [443] },
    exabgp: { ports: [5000], addresses: ["2001:db8::1/128"] },
    validator: { ports: [443], addresses: ["192.0.2.7/32"] },
  });
});

test("the feed follows its configuration, which is checked before", () => {
  const feedConfiguration = "routing/examples/demo.yaml";
  const feed = serviceNamed(describeStack({ feed: "ris-live", feedConfiguration }), "feed");
  expect(feed).toMatchObject({
    files: { "feed/configuration.yaml": expect.stringContaining("192.0.2.0/24") as string },
    liveFiles: ["feed/configuration.yaml"],
    environment: { CONFIGURATION_FILE: "/run/routeql/feed/configuration.yaml" },
  });
  expect(checkValue("feedConfiguration", feedConfiguration)).toBeUndefined();
  expect(checkValue("feedConfiguration", "package.json")).toMatch(/^is wrong: package.json:\d+: /);
  expect(checkValue("feedConfiguration", "none.yaml")).toBe("cannot be read (ENOENT)");
});

test("refuses a login in an address of the feed, which is no secret", () => {
  expect(checkValue("feedUrl", "wss://a:b@ris.example.net/v1/ws/")).toMatch(/no user and no password/);
  expect(checkValue("feedUrl", "wss://ris.example.net/v1/ws/?client=a")).toBeUndefined();
  expect(checkValue("feedVrpsAddress", "https://a:b@rpki.example.net/json")).toMatch(/no user and no password/);
  expect(checkValue("feedVrpsAddress", "rpki.example.net")).toMatch(/begins with https/);
});

test("on Kubernetes the feed may connect to the port of its address", () => {
  expect(outsidePlaces({ collectors: "wss://ris.example.net/v1/ws/?client=routeql" })).toEqual({
    collectors: { ports: [443] },
  });
});
