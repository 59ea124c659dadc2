import { expect, test } from "vitest";
import { createMetrics } from "./metrics.ts";
import { adminSecret, serveFake } from "./lifecycle/testing/served-engine.ts";

test("the metrics port serves only the metrics", async () => {
  await using server = await serveFake();
  const metricsUrl = `http://127.0.0.1:${String(server.served.metricsPort)}`;
  await fetch(`${server.url}/v1/graphql`, {
    method: "POST",
    headers: { "x-hasura-admin-secret": adminSecret, "x-hasura-role": "viewer" },
    body: '{"query":"{ a }"}',
  });
  const text = await (await fetch(`${metricsUrl}/metrics`)).text();
  expect(text).toContain('routeql_engine_operations_total{operation="query",role="viewer",outcome="success"} 1');
  expect(text).toContain('routeql_engine_operation_duration_seconds_count{operation="query"} 1');
  for (const line of [
    "routeql_engine_pool_connections 4",
    "routeql_engine_plan_cache_hits 2",
    "routeql_engine_live_query_subscribers 0",
    "routeql_engine_websocket_connections 0",
    "routeql_engine_requests_in_flight 0",
    "routeql_engine_metadata_resource_version 1",
    "routeql_engine_metadata_inconsistent_objects 0",
  ]) {
    expect(text).toContain(line);
  }
  expect(text).toContain("process_resident_memory_bytes");
  expect((await fetch(`${metricsUrl}/`)).status).toBe(404);
  expect((await fetch(`${metricsUrl}/metrics`, { method: "POST" })).status).toBe(404);
});

test("the number of role labels is bounded", async () => {
  const metrics = createMetrics();
  for (let index = 0; index < 500; index += 1) metrics.operation("query", `role-${String(index)}`, "success", 0.001);
  const text = await metrics.registry.metrics();
  expect(text.match(/routeql_engine_operations_total\{/g)).toHaveLength(101);
  expect(text).toContain('role="other",outcome="success"} 400');
});
