import { expect, test } from "vitest";
import { recordStack } from "./testing/recorded-stack.ts";
import { grouped } from "./settings/groups.ts";
import type { GivenInputs } from "./settings/list.ts";
import { partOf, resourceNames } from "./resource-names.ts";
import { RouteQL } from "./components/routeql.ts";

test("resources of two components in one program have different names", () => {
  expect(resourceNames("routes")("engine")).not.toBe(resourceNames("trial")("engine"));
});

test("removes the component's prefix and ignores other names", () => {
  expect(partOf("routes", resourceNames("routes")("key-encryption-key"))).toBe("key-encryption-key");
  expect([partOf("routes", "routes"), partOf("routes", "engine")]).toEqual([undefined, undefined]);
});

const backup = {
  backupDestination: "s3://backups/routes",
  backupAccessKeyId: "a",
  backupSecretAccessKey: "the-secret-key",
};

test.each<GivenInputs>([
  { target: "docker" },
  { target: "kubernetes" },
  {
    target: "kubernetes",
    database: "cloudnative-pg",
    certificateIssuer: "letsencrypt",
    engineReplicasMost: 4,
    ...backup,
  },
])("every resource of %o has a name that begins with the component's", async (args) => {
  const resources = await recordStack(() => void new RouteQL("routes", grouped({ engine: "embedded", ...args })), {
    stack: "prod",
  });
  const parts = resources.filter(({ name }) => name !== "routes");
  expect(parts.length).toBeGreaterThan(40);
  expect(
    parts.filter(({ name }) => partOf("routes", name) === undefined).map(({ type, name }) => `${type} ${name}`),
  ).toEqual([]);
});
