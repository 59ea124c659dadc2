import { builtImages } from "@routeql/infra/images";
import { expect, test } from "vitest";
import { basesOf, requireClock } from "./phases.ts";

test("pulls the bases of all images that are built here before the builds", () => {
  const images = builtImages({
    engine: "hasura",
    engineConsole: true,
    images: "official",
    gatewayImage: "r.example.net/nginx:1.30.7",
    hasuraImage: "r.example.net/hasura:2.50.10",
  });
  expect(basesOf(images)).toEqual(
    expect.arrayContaining(["r.example.net/nginx:1.30.7", "r.example.net/hasura:2.50.10"]),
  );
});

test("does not pull an image that is built here", () => {
  const images = builtImages({ engine: "hasura", hasuraImage: "routeql/engine" });
  expect(basesOf(images).filter((name) => name.startsWith("routeql/"))).toEqual([]);
});

test("refuses a clock that is before the newest commit of the checkout", () => {
  const built = Date.parse("2026-05-04T10:00:00Z");
  expect(() => requireClock(built, Date.parse("2025-03-30T10:00:00Z"))).toThrow(
    "The clock of this machine shows 2025-03-30T10:00:00.000Z, before the newest commit of this checkout (2026-05-04T10:00:00.000Z)",
  );
  // Clocks of developers differ by hours.
  expect(() => requireClock(built, built - 3_600_000)).not.toThrow();
  expect(() => requireClock(built, built + 1)).not.toThrow();
  expect(() => requireClock(undefined, 0)).not.toThrow();
});
