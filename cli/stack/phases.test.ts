import { builtImages } from "@routeql/infra/images";
import { expect, test } from "vitest";
import { basesOf } from "./phases.ts";

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
