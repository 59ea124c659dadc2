import { expect, test } from "vitest";
import { roles } from "@routeql/database/migrate/roles";
import { describeDatabase, serverParameters } from "./database.ts";

test("on a cluster the server accepts the sum of the roles' connections and 18 more", () => {
  const most = Object.values(roles).reduce((sum, { connectionLimit }) => sum + connectionLimit, 0);
  expect(Number(serverParameters({ target: "kubernetes" })["max_connections"])).toBe(most + 18);
  expect(serverParameters({ target: "docker" })).not.toHaveProperty("max_connections");
});

test("the server is started with its settings", () => {
  expect(describeDatabase({ target: "kubernetes" }).command).toEqual(["postgres", "-c", "max_locks_per_transaction=512", "-c", "max_wal_size=4GB", "-c", "max_connections=200"]);
});

test("a single process cannot use all memory of the service", () => {
  const { environment, resources } = describeDatabase({ target: "docker" });
  const [sharedBuffers, others] = [128, 128];
  expect(Number(environment["POSTGRES_PROCESS_MEGABYTES"]) + sharedBuffers + others).toBeLessThan(resources.memoryMegabytes);
});
