import { beforeEach, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { query, request } from "./support/request.ts";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

const address = expect.stringMatching(/^\d+\.\d+\.\d+\.\d+$/) as string;
const identifier = expect.stringMatching(/^[0-9a-f]{32}$/) as string;

/** Forbidden headers that a client might send, in addition to those that the gateway lists. */
const unwanted = {
  "x-hasura-role": "admin",
  "x-hasura-user-id": "1",
  "x-hasura-admin-secret": "guess",
  "x-hasura-access-key": "guess",
  "X-Hasura-Allowed-Roles": "admin",
  x_hasura_role: "admin",
  "x-forwarded-for": "192.0.2.1",
  "x-forwarded-host": "example.org",
  "x-forwarded-proto": "http",
  "x-gateway-key": "guess",
  "x-real-ip": "192.0.2.1",
  forwarded: "for=192.0.2.1",
  "x-request-id": "chosen",
  "x-original-url": "/v1/metadata",
  "x-http-method-override": "DELETE",
  "accept-encoding": "gzip",
  "user-agent": "test",
  referer: "https://example.org/",
  upgrade: "h2c",
  "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA",
  te: "trailers",
  "proxy-authorization": "Basic eA==",
  tracestate: "vendor=1",
  "x-made-up": "1",
};

const wanted = {
  authorization: "Bearer a.b.c",
  accept: "application/json",
  origin: "https://routes.example.net",
  cookie: "sid=1; other=2",
  "x-service-api-key": "service",
  "x-engine-access-key": "master",
};

test("the engine receives exactly the listed headers, the master key under its own name", async () => {
  const reply = await query(parts.gateway, { headers: { ...unwanted, ...wanted } });
  expect(reply.echo().headers).toEqual({
    host: "engine",
    "content-length": "26",
    "content-type": "application/json",
    accept: "application/json",
    authorization: "Bearer a.b.c",
    origin: "https://routes.example.net",
    "x-hasura-admin-secret": "master",
    "x-hasura-role": "admin",
    "x-forwarded-for": address,
    "x-forwarded-proto": "https",
    "x-request-id": identifier,
  });
});

test("the engine learns that a body is compressed", async () => {
  const reply = await query(parts.gateway, { headers: { "content-encoding": "gzip" } });
  expect(reply.echo().headers["content-encoding"]).toBe("gzip");
});

const trace = "0af7651916cd43dd8448eb211c80319c";
const traceparent = `00-${trace}-b7ad6b7169203331-01`;

test("a valid traceparent reaches the engine and the auth sidecar, and the log has its trace id", async () => {
  for (const send of [
    query,
    (gateway: typeof parts.gateway, options: object) => request(gateway, paths.token, { method: "POST", ...options }),
  ]) {
    const reply = await send(parts.gateway, { headers: { traceparent } });
    expect(reply.echo().headers["traceparent"]).toBe(traceparent);
    const { access } = await parts.gateway.log(String(reply.headers["x-request-id"]));
    expect(access.find((line) => line["request_id"] === reply.headers["x-request-id"])).toMatchObject({
      trace_id: trace,
    });
  }
});

test.each([
  "chosen",
  `${traceparent}, ${traceparent}`,
  traceparent.replace("00-", "01-"),
  traceparent.replace(trace, "0".repeat(32)),
  traceparent.toUpperCase(),
])("an invalid traceparent stays at the gateway: %s", async (invalid) => {
  const reply = await query(parts.gateway, { headers: { traceparent: invalid } });
  expect(reply.echo().headers).not.toHaveProperty("traceparent");
  const { access } = await parts.gateway.log(String(reply.headers["x-request-id"]));
  expect(access.find((line) => line["request_id"] === reply.headers["x-request-id"])).toMatchObject({
    trace_id: reply.headers["x-request-id"],
  });
});

test("a client without credentials gives the engine none", async () => {
  const reply = await query(parts.gateway);
  expect(Object.keys(reply.echo().headers).sort()).toEqual([
    "content-length",
    "content-type",
    "host",
    "x-forwarded-for",
    "x-forwarded-proto",
    "x-request-id",
  ]);
});

test("role and known session variables pass with the master key", async () => {
  const headers = {
    "x-engine-access-key": "master",
    "x-hasura-role": "tenant",
    "X-Hasura-Org-Id": "acme",
    "x-hasura-user-id": "7",
  };
  const received = (await query(parts.gateway, { headers })).echo().headers;
  expect(received).toMatchObject({ "x-hasura-role": "tenant", "x-hasura-org-id": "acme" });
  expect(received).not.toHaveProperty("x-hasura-user-id");
});

test.each([{}, { "x-engine-access-key": "" }, { authorization: "Bearer a.b.c" }])(
  "never passes role and session variables with %o",
  async (credentials) => {
    const reply = await query(parts.gateway, {
      headers: { "x-hasura-role": "admin", "x-hasura-org-id": "acme", ...credentials },
    });
    expect(Object.keys(reply.echo().headers).filter((name) => name.startsWith("x-hasura"))).toEqual([]);
  },
);

test("ignores a duplicated master key", async () => {
  const reply = await query(parts.gateway, { headers: { "X-Engine-Access-Key": ["master", "master"] } });
  expect(reply.echo().headers["x-hasura-admin-secret"]).toBe("master, master");
});

test.each([paths.loginCredentials, paths.loginLdap, paths.token, paths.logout, paths.singleStepToken])(
  "on %s the sidecar receives exactly the listed headers",
  async (path) => {
    const headers = { ...unwanted, ...wanted, "content-type": "application/json" };
    const reply = await request(parts.gateway, path, { method: "POST", headers, body: "{}" });
    expect(reply.echo().headers).toEqual({
      host: "auth-sidecar",
      "x-gateway-key": "0".repeat(32),
      "content-length": "2",
      "content-type": "application/json",
      accept: "application/json",
      cookie: "sid=1; other=2",
      origin: "https://routes.example.net",
      "x-service-api-key": "service",
      "x-forwarded-for": address,
      "x-forwarded-proto": "https",
      "x-request-id": identifier,
    });
  },
);

test("the sidecar receives the client's actual address, despite forged headers", async () => {
  const claimed = await request(parts.gateway, paths.token, { headers: { "x-forwarded-for": "192.0.2.1, 192.0.2.2" } });
  const silent = await request(parts.gateway, paths.token);
  expect(claimed.echo().headers["x-forwarded-for"]).toBe(silent.echo().headers["x-forwarded-for"]);
});

test("client and upstream receive the same new request id", async () => {
  const replies = [await query(parts.gateway), await query(parts.gateway)];
  const ids = replies.map((reply) => reply.headers["x-request-id"]);
  expect(replies.map((reply) => reply.echo().headers["x-request-id"])).toEqual(ids);
  expect(new Set(ids).size).toBe(2);
});

test("a reply has each security header once, and none that reveals internals", async () => {
  const revealing = {
    "x-powered-by": "Express",
    server: "engine/1.2.3",
    "x-request-id": "inner",
    "x-frame-options": "ALLOWALL",
  };
  await parts.engine.answer({
    "/v1/graphql": { headers: { ...revealing, "referrer-policy": "origin", "x-content-type-options": "nosniff" } },
  });
  const { headers } = await query(parts.gateway);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "referrer-policy": "no-referrer",
    "strict-transport-security": "max-age=63072000",
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "x-request-id": identifier,
    server: "nginx",
  });
  expect(headers).not.toHaveProperty("x-powered-by");
});

test("keeps the upstream's headers for caching and page policy", async () => {
  await parts.engine.answer({
    "/v1/graphql": { headers: { "cache-control": "max-age=60", "content-security-policy": "default-src 'self'" } },
  });
  const { headers } = await query(parts.gateway);
  expect([headers["cache-control"], headers["content-security-policy"]]).toEqual(["max-age=60", "default-src 'self'"]);
});

test("the session cookie of the sidecar reaches the client unchanged", async () => {
  const cookie = "sid=abc; Path=/api/auth; HttpOnly; Secure; SameSite=Strict";
  await parts.sidecar.answer({ [paths.loginCredentials]: { headers: { "set-cookie": cookie } } });
  const reply = await request(parts.gateway, paths.loginCredentials, { method: "POST" });
  expect(reply.headers["set-cookie"]).toEqual([cookie]);
});

test("no header of an upstream controls the gateway", async () => {
  await parts.engine.answer({
    "/v1/graphql": {
      headers: { "x-accel-redirect": "/-/errors/not-found", "x-accel-limit-rate": "1" },
      body: '{"data":1}',
    },
  });
  const reply = await query(parts.gateway);
  expect([reply.status, reply.body.toString()]).toEqual([200, '{"data":1}']);
});
