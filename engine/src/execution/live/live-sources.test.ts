import { expect, test } from "vitest";
import type { LoadedMetadata } from "@routeql/metadata/read/load";
import type { Metadata } from "@routeql/metadata/read/shape";
import { sql } from "../../sql/sql.ts";
import { LiveSources } from "./live-sources.ts";

const connection_info = { database_url: "postgres://localhost/app" };
const metadata = {
  sources: [{ name: "default", kind: "postgres", tables: [], configuration: { connection_info } }],
} as unknown as Metadata;

test.each([
  ["switched-off", "poll", false],
  ["not-noticeable", "push", true],
] as const)("counts %s statements while they run", async (kind, liveQueries, isRelative) => {
  const live = new LiveSources(metadata, {} as LoadedMetadata, { liveQueries, metadata: {} });
  const statement = { source: "default", template: sql`SELECT 1`, parameters: [] };
  const reads = { relations: new Map(), functions: new Map(), nativeQueries: new Set<string>() };
  const cohort = { plan: { statement, reads }, isRelative };
  const observer = { changed: () => undefined, polled: () => undefined };
  const [first, second] = [live.observe(cohort, observer), live.observe(cohort, observer)];
  expect(live.figures.polled).toEqual({ [kind]: 2 });
  first.stop();
  first.stop();
  expect(live.figures.polled).toEqual({ [kind]: 1 });
  second.stop();
  expect(live.figures.polled).toEqual({ [kind]: 0 });
  await live.close();
});
