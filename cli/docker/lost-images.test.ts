import { expect, test } from "vitest";
import { lostImageProblems } from "./lost-images.ts";

test("names each image that the daemon lacks once, with its services", async () => {
  const services = [
    { service: "database", image: "routeql/database:1" },
    { service: "archive", image: "routeql/database:1" },
    { service: "engine", image: "routeql/engine:1" },
  ];
  expect(await lostImageProblems("dev", services, async (image) => image.includes("engine"))).toEqual([
    {
      subject: "image",
      reason: "routeql/database:1, of database, archive, is not on this machine",
      next: "npm run up -- --stack dev builds or pulls it",
    },
  ]);
});
