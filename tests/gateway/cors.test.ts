import { beforeEach, describe, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { query, request } from "./support/request.ts";
import { sharedGatewayParts, startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeEach(async () => void (parts = await sharedGatewayParts()));

const allowed = "https://app.example.net";
const asked = {
  "access-control-request-method": "POST",
  "access-control-request-headers": "authorization,content-type",
};

/** The reply's CORS headers. */
const cors = (headers: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(headers).filter(
      ([name, value]) => name.startsWith("access-control-") || (name === "vary" && value !== "Accept-Encoding"),
    ),
  );

/** The answer to a list with a header that no page may send. */
const fixed = "authorization, content-type, traceparent";

describe.each([paths.graphql, paths.singleStepToken])("%s", (path) => {
  test("a preflight from an allowed origin is answered by the gateway", async () => {
    const reply = await request(parts.gateway, path, { method: "OPTIONS", headers: { origin: allowed, ...asked } });
    expect([reply.status, cors(reply.headers)]).toEqual([
      204,
      {
        "access-control-allow-origin": allowed,
        "access-control-allow-methods": "POST",
        "access-control-allow-headers": path === paths.graphql ? "authorization,content-type" : fixed,
        "access-control-expose-headers": "retry-after, x-request-id",
        "access-control-max-age": "7200",
        vary: "Accept-Encoding, Origin",
      },
    ]);
    expect([...(await parts.engine.received()), ...(await parts.sidecar.received())]).toEqual([]);
  });

  test.each([
    "https://other.example.net",
    "https://app.example.net.attacker.example",
    "http://app.example.net",
    "null",
  ])("a preflight from %s gets no permission", async (origin) => {
    const reply = await request(parts.gateway, path, { method: "OPTIONS", headers: { origin, ...asked } });
    expect(reply.status).not.toBe(204);
    expect(cors(reply.headers)).toEqual({});
  });

  test("only an allowed origin may read replies and errors", async () => {
    const headers = { origin: allowed, "content-type": "application/json" };
    const good = await request(parts.gateway, path, { method: "POST", headers, body: "{}" });
    const large = await request(parts.gateway, path, { method: "POST", headers, body: "x".repeat(300_000) });
    for (const reply of [good, large]) expect(reply.headers["access-control-allow-origin"]).toBe(allowed);
    expect(large.status).toBe(413);
    const other = await request(parts.gateway, path, {
      method: "POST",
      headers: { ...headers, origin: "https://other.example.net" },
      body: "{}",
    });
    expect(cors(other.headers)).toEqual({});
  });
});

describe("headers that programs of a page add to a query", () => {
  async function allowedFor(names: string, path: string = paths.graphql): Promise<unknown> {
    const headers = { origin: allowed, ...asked, "access-control-request-headers": names };
    return (await request(parts.gateway, path, { method: "OPTIONS", headers })).headers["access-control-allow-headers"];
  }

  test.each([
    "authorization,content-type,baggage,sentry-trace",
    "apollographql-client-name, apollographql-client-version, authorization",
    "tracestate,x-datadog-origin,x-datadog-parent-id",
    "x-request-id",
    "my-cookie-consent,x-hasuralike",
  ])("are allowed: %s", async (names) => {
    expect(await allowedFor(names)).toBe(names);
    expect(await allowedFor(names, paths.singleStepToken)).toBe(fixed);
  });

  test.each([
    "authorization,x-engine-access-key",
    "X-Service-Api-Key",
    "content-type, Cookie",
    "x-hasura-role,authorization",
    "authorization,X-Hasura-Admin-Secret",
    "x-forwarded-for",
    "authorization;content-type",
    "a\tb",
    `x-${"a".repeat(1100)}`,
    "",
  ])("are not allowed: %j", async (names) => {
    expect(await allowedFor(names)).toBe(fixed);
  });
});

test("a reply has one Vary header, also with one of the engine", async () => {
  await parts.engine.answer({
    "/v1/graphql": { headers: { vary: "Origin", "content-type": "application/json" }, body: "x".repeat(4000) },
  });
  const reply = await query(parts.gateway, { headers: { origin: allowed, "accept-encoding": "gzip" } });
  expect(reply.headers["content-encoding"]).toBe("gzip");
  expect(reply.headers.vary).toBe("Accept-Encoding, Origin");
});

test("the engine's own CORS headers never reach a client", async () => {
  await parts.engine.answer({
    "/v1/graphql": { headers: { "access-control-allow-origin": "*", "access-control-allow-credentials": "true" } },
  });
  expect(cors((await query(parts.gateway, { headers: { origin: "https://other.example.net" } })).headers)).toEqual({});
  expect((await query(parts.gateway, { headers: { origin: allowed } })).headers["access-control-allow-origin"]).toBe(
    allowed,
  );
});

test("allows pages of the service itself", async () => {
  const origin = "https://routes.example.net:8443";
  expect((await query(parts.gateway, { headers: { origin } })).headers["access-control-allow-origin"]).toBe(origin);
});

test.each([paths.loginCredentials, paths.loginLdap, paths.token, paths.logout, paths.health])(
  "rejects pages of other origins on %s",
  async (path) => {
    const preflight = await request(parts.gateway, path, { method: "OPTIONS", headers: { origin: allowed, ...asked } });
    const reply = await request(parts.gateway, path, { method: "POST", headers: { origin: allowed } });
    expect([cors(preflight.headers), cors(reply.headers)]).toEqual([{}, {}]);
  },
);

test.each([
  "capacitor://localhost",
  "tauri://localhost",
  "app://.",
  "chrome-extension://mdplmiioglkpgkgblfdilgebpppgdlma",
])("an app may have the origin %s", async (origin) => {
  await using open = await startGatewayParts({ settings: { corsOrigins: [origin] } });
  const preflight = (from: string) =>
    request(open.gateway, paths.graphql, { method: "OPTIONS", headers: { origin: from, ...asked } });
  expect((await preflight(origin)).headers["access-control-allow-origin"]).toBe(origin);
  for (const other of [`${origin}.example.net`, `https${origin.slice(origin.indexOf(":"))}`, "null"])
    expect(cors((await preflight(other)).headers)).toEqual({});
});

test("starts with the longest public name and origin", async () => {
  const name = `${Array.from("abc", (letter) => letter.repeat(63)).join(".")}.${"d".repeat(61)}`;
  expect(name).toHaveLength(253);
  const origin = `https://${name}:65535`;
  await using open = await startGatewayParts({ settings: { publicHost: name, corsOrigins: [origin] } });
  const reply = await request(open.gateway, paths.graphql, { method: "OPTIONS", headers: { origin, ...asked } });
  expect(reply.headers["access-control-allow-origin"]).toBe(origin);
});

test("with * every origin is allowed", async () => {
  await using open = await startGatewayParts({ settings: { corsOrigins: ["*"] } });
  const reply = await request(open.gateway, paths.graphql, {
    method: "OPTIONS",
    headers: { origin: "https://any.example", ...asked },
  });
  expect([reply.status, reply.headers["access-control-allow-origin"]]).toEqual([204, "https://any.example"]);
});
