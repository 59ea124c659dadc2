import { expect, test } from "vitest";
import { database } from "../e2e/support/stack/database.ts";
import { suffer } from "./support/suffer.ts";

test("a migration of a table in use delays requests, and none fails", { timeout: 120_000 }, async () => {
  const owner = await database("owner");
  const { count } = await suffer({
    inject: async () => {
      await owner.query(
        "begin; set local lock_timeout = '10s'; alter table routing.hijacks add column faults_probe text; create index faults_probe on routing.hijacks (faults_probe); select pg_sleep(0.5); commit",
      );
    },
    undo: () => owner.query("alter table routing.hijacks drop column faults_probe"),
    milliseconds: 500,
    recovery: 20_000,
    noticed: false,
  });
  expect(count.refused).toBe(0);
});
