import { readFileSync } from "node:fs";
import { paths } from "@routeql/contract/paths";
import { expect, test } from "vitest";

test("openapi.yaml describes each public path", () => {
  const text = readFileSync(new URL("../../openapi.yaml", import.meta.url), "utf8");
  const described = new Set([...text.matchAll(/^ {2}(\/\S+):$/gm)].map(([, path]) => path));
  // The engine and the gateway answer these.
  const { graphql: _graphql, health: _health, ...own } = paths;
  expect(Object.values(own).filter((path) => !described.has(path))).toEqual([]);
});
