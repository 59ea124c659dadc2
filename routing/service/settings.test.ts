import { expect, test } from "vitest";
import { readSettings } from "./settings.ts";

test("reads the settings, with their defaults", () => {
  expect(
    readSettings({
      DATABASE_URL: "postgres://db",
      FEED_SOURCES: "ris-live, exabgp",
      EXABGP_ADDRESS: "[2001:db8::1]:5000",
      RIS_LIVE_COLLECTORS: "rrc00,rrc25",
    }),
  ).toEqual({
    DATABASE_URL: "postgres://db",
    FEED_SOURCES: ["ris-live", "exabgp"],
    RIS_LIVE_URL: "wss://ris-live.ripe.net/v1/ws/?client=routeql",
    RIS_LIVE_COLLECTORS: ["rrc00", "rrc25"],
    RIS_LIVE_PREFIXES: "configured",
    EXABGP_ADDRESS: { host: "2001:db8::1", port: 5000 },
    EXABGP_COLLECTOR: "own",
    BUFFER_MIB: 48,
    VRPS_MINUTES: 60,
    METRICS_PORT: 9090,
    LOG_LEVEL: "info",
  });
});

test("reports all problems, without values", () => {
  const wrong = {
    FEED_SOURCES: "kafka",
    RIS_LIVE_URL: "https://secret.example",
    BUFFER_MIB: "much",
    EXABGP_COLLECTOR: "A B",
  };
  expect(() => readSettings(wrong)).toThrow(
    /DATABASE_URL: [^]*FEED_SOURCES: must be ris-live or exabgp[^]*RIS_LIVE_URL: must be[^]*EXABGP_COLLECTOR: must be[^]*BUFFER_MIB: /,
  );
  expect(() => readSettings(wrong)).not.toThrow(/secret/);
  expect(() => readSettings({ DATABASE_URL: "postgres://db" })).toThrow("FEED_SOURCES: names no source");
  expect(() => readSettings({ DATABASE_URL: "postgres://db", FEED_SOURCES: "exabgp" })).toThrow(
    "EXABGP_ADDRESS: is missing",
  );
  expect(() => readSettings({ DATABASE_URL: "postgres://db", EXABGP_ADDRESS: "edge:65536" })).toThrow(
    "EXABGP_ADDRESS: must have a port from 1 to 65535",
  );
});
