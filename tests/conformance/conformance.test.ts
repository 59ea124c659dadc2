import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { startConformanceDatabase } from "./database.ts";
import { closingLine, count, describe as describeResult } from "./report.ts";
import { runFixtures } from "./run.ts";

const fixtures = resolve(import.meta.dirname, "../../../shared/hasura-fixtures");

test("the engine answers every runnable read case as Hasura does", { timeout: 900_000 }, async (context) => {
  if (!existsSync(fixtures)) context.skip("../shared/hasura-fixtures is absent");
  await using database = await startConformanceDatabase();
  const results = await runFixtures({
    fixtures,
    filter: undefined,
    database: database.address,
    onResult: () => undefined,
  });
  console.log(closingLine(count(results)));
  expect(results.flatMap((result) => describeResult(result) ?? [])).toEqual([]);
  expect(count(results).passed).toBeGreaterThan(250);
});
