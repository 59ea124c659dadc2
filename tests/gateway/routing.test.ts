import { beforeEach, describe, expect, test } from "vitest";
import { errorBody } from "@routeql/nginx/errors-file";
import { paths } from "@routeql/contract/paths";
import { statuses } from "../harness/exchange.ts";
import { raw } from "./support/raw.ts";
import { query, request } from "./support/request.ts";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

const authPaths = [paths.loginCredentials, paths.loginLdap, paths.token, paths.logout, paths.singleStepToken];

const absent = `
  /x /api /api/ /api/auth /api/auth/ /api/auth/login /api/auth/unknown /api/graphql/ //api/graphql /API/graphql /healthz/ /jwt/auth/ /.git/config
  /v1/graphql /v1/metadata /v2/query /v1alpha1/graphql /v1alpha1/config /jwks /livez /readyz /metrics
  /-/graphql-websocket /-/health/engine /-/health/auth-sidecar /-/errors/not-found /-/errors/unavailable /-/console-over-https
  /api/auth/../../v1/metadata /api/auth/%2e%2e/%2e%2e/jwks /api/auth/jwt/..%2f..%2f..%2fjwks /api/auth/jwt;/../../../jwks
`
  .trim()
  .split(/\s+/);

describe.each(["api", "console"] as const)("on the %s listener", (listener) => {
  test("POST /api/graphql reaches the engine's /v1/graphql with its body", async () => {
    const reply = await query(parts.gateway, { listener, body: '{"query":"{ a }"}' });
    expect(reply.status).toBe(200);
    expect(reply.echo()).toMatchObject({ method: "POST", target: "/v1/graphql", body: '{"query":"{ a }"}' });
    expect(await parts.sidecar.received()).toEqual([]);
  });

  test.each(authPaths)("%s reaches the sidecar under the same path, without the query string", async (path) => {
    const reply = await request(parts.gateway, `${path}?next=1`, { listener, method: "POST", body: "{}" });
    expect(reply.echo()).toMatchObject({ method: "POST", target: path, body: "{}" });
    expect(await parts.engine.received()).toEqual([]);
  });

  test.each(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"])(
    "the sidecar itself sees the method %s on its paths",
    async (method) => {
      await request(parts.gateway, paths.logout, { listener, method });
      expect((await parts.sidecar.received()).map((entry) => entry.method)).toEqual([method]);
    },
  );

  test("the sidecar's own 405 passes with its Allow header and its body", async () => {
    await parts.sidecar.answer({
      [paths.token]: { status: 405, headers: { allow: "GET, POST" }, body: '{"error":"x","code":"y"}' },
    });
    const reply = await request(parts.gateway, paths.token, { listener, method: "PUT" });
    expect([reply.status, reply.headers.allow, reply.body.toString()]).toEqual([
      405,
      "GET, POST",
      '{"error":"x","code":"y"}',
    ]);
  });

  test.each(["GET", "HEAD", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND", "PURGE", "SEARCH"])(
    "/api/graphql refuses %s with 405 and Allow",
    async (method) => {
      const reply = await request(parts.gateway, paths.graphql, { listener, method });
      expect([reply.status, reply.headers.allow]).toEqual([405, "POST"]);
      if (method !== "HEAD") expect(reply.body.toString()).toBe(errorBody("method-not-allowed"));
      expect(await parts.engine.received()).toEqual([]);
    },
  );

  test.each(["TRACE", "CONNECT"])("rejects %s everywhere and never forwards it", async (method) => {
    for (const target of [paths.graphql, paths.token, "/", "engine:8080"]) {
      const reply = await raw(
        parts.gateway,
        `${method} ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
        { listener },
      );
      expect(statuses(reply)).toEqual([expect.toBeOneOf([400, 405])]);
      expect(reply).toContain('"code"');
    }
    expect([...(await parts.engine.received()), ...(await parts.sidecar.received())]).toEqual([]);
  });

  test.each([
    [paths.graphql, "POST"],
    [paths.loginCredentials, "POST"],
    [paths.loginLdap, "POST"],
    [paths.singleStepToken, "POST"],
    [paths.token, "GET, POST"],
    [paths.logout, "DELETE"],
    [paths.health, "GET, HEAD"],
  ])("refuses TRACE and CONNECT of %s with Allow: %s", async (path, allowed) => {
    for (const method of ["TRACE", "CONNECT"]) {
      const bytes = `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
      const reply = await raw(parts.gateway, bytes, { listener });
      if (statuses(reply)[0] === 405) expect([method, /^allow: (.*)\r$/im.exec(reply)?.[1]]).toEqual([method, allowed]);
    }
  });

  test.each([
    undefined,
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/jsonp",
    "text/json",
  ])("/api/graphql rejects a body of type %s with 415", async (type) => {
    const headers = type === undefined ? {} : { "content-type": type };
    const reply = await request(parts.gateway, paths.graphql, { listener, method: "POST", headers, body: "{}" });
    expect([reply.status, reply.body.toString()]).toEqual([415, errorBody("unsupported-media-type")]);
    expect(await parts.engine.received()).toEqual([]);
  });

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "application/json;charset=UTF-8",
  ])("/api/graphql accepts a body of type %s", async (type) => {
    const reply = await query(parts.gateway, { listener, headers: { "content-type": type } });
    expect(reply.echo().headers["content-type"]).toBe(type);
  });

  test.each(absent)("%s does not exist", async (path) => {
    const reply = await request(parts.gateway, path, {
      listener,
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect([reply.status, reply.body.toString()]).toEqual([404, errorBody("not-found")]);
    expect([...(await parts.engine.received()), ...(await parts.sidecar.received())]).toEqual([]);
  });
});

test("an encoded path reaches the service as the plain path", async () => {
  const reply = await request(parts.gateway, "/api/auth/%6A%77t");
  expect(reply.echo().target).toBe(paths.token);
});
