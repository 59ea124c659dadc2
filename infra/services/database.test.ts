import { expect, test } from "vitest";
import { roles } from "@routeql/database/migrate/roles";
import { mostHeavy } from "@routeql/contract/most-heavy";
import { describeDatabase, serverParameters } from "./database.ts";

test("on a cluster the server accepts the sum of the roles' connections and 18 more", () => {
  const most = Object.values(roles).reduce((sum, { connectionLimit }) => sum + connectionLimit, 0);
  expect(Number(serverParameters({ target: "kubernetes" })["max_connections"])).toBe(most + 18);
  expect(serverParameters({ target: "docker" })).not.toHaveProperty("max_connections");
});

test("the server is started with its settings", () => {
  expect(describeDatabase({ target: "kubernetes", enginePoolSize: 4 }).command).toEqual([
    "postgres",
    "-c",
    "max_locks_per_transaction=512",
    "-c",
    "max_wal_size=4GB",
    "-c",
    "max_connections=200",
  ]);
});

test.each([1, 4, 9, 20])(
  "the processes that may run for long fit into the memory, of %i connections",
  (enginePoolSize) => {
    const { environment, resources } = describeDatabase({ target: "docker", enginePoolSize });
    const [sharedBuffers, others] = [128, 256];
    const heavy = mostHeavy(enginePoolSize);
    expect(Number(environment["POSTGRES_PROCESS_MEGABYTES"]) * heavy + sharedBuffers + others).toBeLessThan(
      Number(resources.memoryMegabytes),
    );
  },
);
