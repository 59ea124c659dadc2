import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { builtImages, pulledImages } from "./images.ts";
import { settings } from "./settings/list.ts";

test("each image's name has 12 digits of its content's hash, and its Dockerfile exists", () => {
  for (const { name, imageName, dockerfile } of builtImages()) {
    expect(imageName).toMatch(new RegExp(`^routeql/${name}:[0-9a-f]{12}$`));
    expect(existsSync(dockerfile)).toBe(true);
  }
});

test("the same content gives the same names", () => {
  expect(builtImages()).toEqual(builtImages());
});

test("with the console the gateway's official image gets the console's files", () => {
  const gateway = (engineConsole: boolean) =>
    builtImages({ images: "official", engineConsole }).find(({ name }) => name === "gateway");
  expect(gateway(false)).toBeUndefined();
  expect(gateway(true)?.args["DEBIAN_BASE"]).toBe(settings.gatewayImage.default);
  expect(pulledImages({ images: "official", engineConsole: true }).map(({ name }) => name)).not.toContain("gateway");
});

test("another Node base renames the images that are built with it, and only those", () => {
  const official = builtImages();
  const other = builtImages({ debianBase: "debian:trixie-slim", nodeBase: "routeql/node:24.21.0" });
  const renamed = other
    .filter(({ imageName }) => official.every((image) => image.imageName !== imageName))
    .map(({ name }) => name);
  expect(renamed.toSorted()).toEqual(["auth-sidecar", "database-tools", "engine", "gateway"]);
  for (const { name, args } of other)
    expect(args["NODE_BASE"]).toBe(renamed.includes(name) ? "routeql/node:24.21.0" : undefined);
});
