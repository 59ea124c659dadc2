import { X509Certificate } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../harness/process.ts";
import { query, request } from "./support/request.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeAll(
  async () =>
    void (parts = await startGatewayParts({ settings: { metrics: true, requestsPerSecondPerAddress: 1, burst: 5 } })),
);
afterAll(() => parts?.[Symbol.asyncDispose]());

/** The listener is not published, so the test reads it inside the container. */
async function metrics(): Promise<ReadonlyMap<string, number>> {
  const get = String.raw`exec 3<>/dev/tcp/127.0.0.1/9090; printf 'GET /metrics HTTP/1.0\r\n\r\n' >&3; cat <&3`;
  const { stdout } = await run("docker", ["exec", parts.gateway.getId(), "bash", "-c", get]);
  expect(stdout).toMatch(/^HTTP\/1\.1 200 /);
  const samples = stdout.split("\n").filter((line) => /^(routeql_gateway|process)_/.test(line));
  return new Map(
    samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.slice(line.lastIndexOf(" ")))]),
  );
}

test("counts requests by route and status, their time, and those over a limit", async () => {
  await parts.engine.answer();
  const statuses: number[] = [];
  for (let sent = 0; sent < 12; sent++) statuses.push((await query(parts.gateway)).status);
  await request(parts.gateway, "/a-path-of-the-client");
  const rejected = statuses.filter((status) => status === 429).length;
  expect(rejected).toBeGreaterThan(0);
  const samples = await metrics();
  const graphql = 'route="/api/graphql"';
  expect(samples.get(`routeql_gateway_requests_total{${graphql},status="200"}`)).toBe(12 - rejected);
  expect(samples.get(`routeql_gateway_requests_total{${graphql},status="429"}`)).toBe(rejected);
  expect(samples.get(`routeql_gateway_limited_requests_total{limit="rate",${graphql}}`)).toBe(rejected);
  expect(samples.get(`routeql_gateway_request_duration_seconds_bucket{${graphql},le="+Inf"}`)).toBe(12);
  expect(samples.get(`routeql_gateway_request_duration_seconds_bucket{${graphql},le="30"}`)).toBe(12);
  expect(samples.get('routeql_gateway_tls_connections_total{protocol="TLSv1.3",resumed="false"}')).toBe(13);
});

test("client paths never become labels", async () => {
  await request(parts.gateway, "/another-path");
  const names = [...(await metrics()).keys()];
  expect(names.some((name) => name.includes('route="other"'))).toBe(true);
  expect(names.join("\n")).not.toMatch(/another-path|a-path-of-the-client/);
});

test("reports the expiry of the certificate file", async () => {
  const expiry = new X509Certificate(parts.gateway.certificate.certificate).validToDate;
  expect((await metrics()).get("routeql_gateway_certificate_expiry_timestamp_seconds")).toBe(expiry.getTime() / 1000);
});

test("reports processor time, memory and the start of the gateway's processes", async () => {
  const before = await metrics();
  // Redirects do not count in the rate.
  for (let sent = 0; sent < 300; sent++) await request(parts.gateway, "/", { listener: "redirect" });
  const after = await metrics();
  const spent = after.get("process_cpu_seconds_total")! - before.get("process_cpu_seconds_total")!;
  expect(spent).toBeGreaterThan(0);
  expect(spent).toBeLessThan(30);
  const megabytes = after.get("process_resident_memory_bytes")! / 1024 ** 2;
  expect(megabytes).toBeGreaterThan(5);
  expect(megabytes).toBeLessThan(256);
  const { stdout } = await run("docker", ["inspect", "--format", "{{.State.StartedAt}}", parts.gateway.getId()]);
  expect(Math.abs(after.get("process_start_time_seconds")! - Date.parse(stdout.trim()) / 1000)).toBeLessThan(5);
  expect(after.get("process_start_time_seconds")).toBe(before.get("process_start_time_seconds"));
});

test("the published listeners have no metrics", async () => {
  for (const listener of ["redirect", "api", "console"] as const) {
    expect((await request(parts.gateway, "/metrics", { listener })).body.toString()).not.toContain("routeql_gateway_");
  }
});
