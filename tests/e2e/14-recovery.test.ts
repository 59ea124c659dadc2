import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { mustRun } from "../harness/process.ts";
import { Member } from "./support/accounts.ts";
import { loadDemo } from "./support/data.ts";
import { containerOf } from "./support/docker.ts";
import { hasFront } from "./support/engine-of-the-run.ts";
import { data, headersOf, master } from "./support/graphql.ts";
import { call } from "./support/http.ts";
import { login } from "./support/sessions.ts";

const unavailable = { error: "A part of the service is not available right now.", code: "unavailable" };

/** The answer of the front when Hasura does not answer it. */
const withoutHasura = {
  errors: [
    { message: "the engine does not answer. Repeat the request later", extensions: { path: "$", code: "unexpected" } },
  ],
};

const query = { query: "{ view_bgpupdates(limit: 1) { prefix } }" };

/** Design section 1: 503 with Retry-After while a service is down. Everything recovers without intervention once the service is back. */
describe("Errors when a service is down", () => {
  let analyst: Member;
  let down: string | undefined;

  beforeAll(async () => {
    await loadDemo();
    analyst = await Member.join("analyst");
    await analyst.freshToken();
  });

  afterEach(async () => {
    if (down !== undefined) await mustRun("docker", ["start", down]);
    down = undefined;
    await expect.poll(async () => (await call("/healthz")).status, { timeout: 60_000, interval: 500 }).toBe(200);
  });

  async function kill(service: string): Promise<void> {
    down = containerOf(service);
    await mustRun("docker", ["kill", down]);
  }

  async function expectUnavailable(path: string, init: Parameters<typeof call>[1], body: object = unavailable) {
    const started = performance.now();
    const reply = await call(path, init);
    expect(performance.now() - started).toBeLessThan(20_000);
    expect(reply.status, reply.text).toBe(503);
    expect(reply.json()).toEqual(body);
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0);
    expect(reply.headers.get("cache-control")).toBe("no-store");
  }

  const engines = hasFront ? ["front", "engine"] : ["engine"];
  test.each(engines)("the %s is killed: 503, /healthz reports it, logins work, and it recovers", async (service) => {
    await kill(service);
    await expectUnavailable(
      "/api/graphql",
      { method: "POST", headers: headersOf(master), body: query },
      hasFront && service === "engine" ? withoutHasura : unavailable,
    );
    await expectUnavailable("/healthz", {});
    expect((await login(analyst.account)).status).toBe(200);
    await mustRun("docker", ["start", containerOf(service)]);
    await expect
      .poll(
        async () => (await call("/api/graphql", { method: "POST", headers: headersOf(master), body: query })).status,
        { timeout: 30_000, interval: 250 },
      )
      .toBe(200);
    const answer = await data<{ view_bgpupdates: unknown[] }>(query.query, await analyst.caller());
    expect(answer.view_bgpupdates).toHaveLength(1);
  });

  test("the sidecar is killed: logins are 503 unavailable, issued tokens still query", async () => {
    const caller = await analyst.caller();
    await kill("auth-sidecar");
    await expectUnavailable("/api/auth/jwt", { headers: { "x-service-api-key": "any" } });
    await expectUnavailable("/jwt/auth", { method: "POST", body: { username: "a@example.net", password: "b" } });
    await expectUnavailable("/healthz", {});
    const answer = await data<{ view_bgpupdates: unknown[] }>(query.query, caller);
    expect(answer.view_bgpupdates).toHaveLength(1);
  });

  test("the session store is killed: logins are 503 in bounded time and recover", async () => {
    await kill("sessions");
    const reply = await login(analyst.account);
    expect(reply.status, reply.text).toBe(503);
    expect(reply.json()).toMatchObject({ code: "unavailable" });
    await mustRun("docker", ["start", containerOf("sessions")]);
    await expect.poll(async () => (await login(analyst.account)).status, { timeout: 30_000, interval: 500 }).toBe(200);
  });

  test("the database is killed: queries fail in bounded time and recover", async () => {
    await kill("database");
    const started = performance.now();
    const reply = await call("/api/graphql", { method: "POST", headers: headersOf(master), body: query });
    expect(performance.now() - started).toBeLessThan(35_000);
    const body = reply.json() as { data?: unknown };
    expect(body.data ?? null).toBeNull();
    expect(Object.keys(body).some((key) => key === "errors" || key === "error")).toBe(true);
    expect(reply.text).not.toMatch(/password|routeql_engine|ECONNREFUSED|\d+\.\d+\.\d+\.\d+/);
    const health = await call("/healthz");
    expect(health.status).toBe(503);
    await mustRun("docker", ["start", containerOf("database")]);
    await expect.poll(async () => (await call("/healthz")).status, { timeout: 60_000, interval: 500 }).toBe(200);
    const answer = await data<{ view_bgpupdates: unknown[] }>(query.query, master);
    expect(answer.view_bgpupdates).toHaveLength(1);
  });
});
