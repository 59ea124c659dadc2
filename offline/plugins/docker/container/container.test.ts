import { expect, test } from "vitest";
import { provider } from "../stand-in.ts";

const urn = "urn:pulumi:local::routeql::docker:index/container:Container::engine";
const unknown = "04da6b54-80e4-46f7-96ec-b56ff0331ba9";
const on = (...names: readonly string[]) => ({
  name: "routeql-local-engine",
  image: "image",
  networksAdvanced: names.map((name) => ({ name, aliases: ["engine"] })),
});

test.each([
  ["joins a network", on("first", "second"), []],
  ["leaves its first network", on("second"), ["networksAdvanced"]],
  ["has a network that the update replaces", on("first", unknown), ["networksAdvanced"]],
  ["has networks that the update replaces", { ...on(), networksAdvanced: unknown }, ["networksAdvanced"]],
])("replaces a container only with its first network: %s", async (_title, news, replaces) => {
  expect(await provider.diff("id", urn, on("first"), news)).toMatchObject({ changes: true, replaces });
});
