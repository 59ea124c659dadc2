import { expect, test } from "vitest";
import { readMetricFacts } from "./service-metrics.ts";

test("reads the answers with 503 from the metrics of both services", () => {
  const metrics = `# TYPE routeql_engine_unavailable_total counter
routeql_engine_unavailable_total{reason="wait"} 12
routeql_engine_unavailable_total{reason="database"} 1
routeql_engine_unavailable_timestamp_seconds{reason="wait"} 1796000000
routeql_engine_unavailable_timestamp_seconds{reason="database"} 1796000060.5
auth_unavailable_total{reason="sessions"} 3
auth_unavailable_timestamp_seconds{reason="sessions"} 1796000000
`;
  expect(readMetricFacts(metrics)).toEqual({
    unavailable: [
      { reason: "wait", count: 12, last: "2026-11-30T00:53:20.000Z" },
      { reason: "database", count: 1, last: "2026-11-30T00:54:20.500Z" },
      { reason: "sessions", count: 3, last: "2026-11-30T00:53:20.000Z" },
    ],
  });
  expect(readMetricFacts("")).toEqual({});
});

test("reads the objects whose changes are not noticed", () => {
  const metrics = String.raw`routeql_engine_live_query_unnoticed_object{object="public.notes"} 1
routeql_engine_live_query_unnoticed_object{object="other: s.a \"b\" \\n"} 1
`;
  expect(readMetricFacts(metrics)).toEqual({ unnoticed: ["public.notes", String.raw`other: s.a "b" \n`] });
});
