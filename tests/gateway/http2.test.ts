import { once } from "node:events";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders, type OutgoingHttpHeaders } from "node:http2";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { sharedGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
let session: ClientHttp2Session;
beforeEach(async () => {
  parts = await sharedGatewayParts();
  const { gateway } = parts;
  session = connect(`https://${gateway.getHost()}:${gateway.port("api")}`, {
    ca: gateway.certificate.certificate,
    servername: "localhost",
  });
  await once(session, "connect");
});
afterEach(() => session.destroy());

interface Answer {
  readonly status: number | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** One request with unchanged headers; HTTP/2 allows only lower-case names (RFC 9113, 8.2.1). */
async function ask(headers: OutgoingHttpHeaders, body = '{"query":"{ a }"}'): Promise<Answer> {
  const stream = session.request(
    { ":method": "POST", ":path": "/api/graphql", "content-type": "application/json", ...headers },
    { endStream: body === "" },
  );
  const response = once(stream, "response") as Promise<[IncomingHttpHeaders & { ":status"?: number }]>;
  if (body !== "") stream.end(body);
  const [[received], content] = await Promise.all([response, text(stream)]);
  return { status: received[":status"], headers: received, body: content };
}

test("forwards a query over HTTP/2 as one HTTP/1.1 request with the listed headers", async () => {
  const headers = {
    authorization: "Bearer a",
    "x-engine-access-key": "master",
    "x-hasura-role": "admin",
    "x-forwarded-for": "192.0.2.1",
  };
  expect((await ask(headers)).status).toBe(200);
  const [entry, ...more] = await parts.engine.received();
  expect(more).toEqual([]);
  expect(entry).toMatchObject({ method: "POST", target: "/v1/graphql", body: '{"query":"{ a }"}' });
  expect(entry?.headers).toMatchObject({
    "content-length": "17",
    authorization: "Bearer a",
    "x-hasura-admin-secret": "master",
  });
  // The gateway passes a role only with the master key.
  expect(entry?.headers["x-hasura-role"]).toBe("admin");
  await ask({ authorization: "Bearer a", "x-hasura-role": "admin" });
  expect(Object.keys((await parts.engine.received()).at(-1)?.headers ?? {})).not.toContain("x-hasura-role");
});

test("an error has the status and the headers of HTTP/1.1", async () => {
  const { status, headers } = await ask({ ":method": "PUT" }, "");
  expect(status).toBe(405);
  expect(headers).toMatchObject({ allow: "POST", "strict-transport-security": "max-age=63072000" });
});

test("joins separate HTTP/2 cookies into one Cookie header for the sidecar", async () => {
  await ask(
    { ":method": "GET", ":path": "/api/auth/jwt", cookie: ["a=b", "sid=c"], "x-service-api-key": "service" },
    "",
  );
  expect((await parts.sidecar.received()).map((entry) => entry.headers.cookie)).toEqual(["a=b; sid=c"]);
});

test.each([
  ["shorter than its length", "100"],
  ["longer than its length", "5"],
])("rejects a body that is %s, and forwards nothing", async (_, length) => {
  expect(await ask({ "content-length": length })).toMatchObject({
    status: 400,
    body: expect.stringContaining('"malformed-request"') as string,
  });
  expect(await parts.engine.received()).toEqual([]);
});

test.each([
  [{ ":path": "/api/graphql HTTP/1.1" }],
  [{ ":path": "*" }],
  [{ ":path": "api/graphql" }],
  [{ ":authority": "a", host: "b" }],
])("rejects a request with %j, and forwards nothing", async (headers) => {
  expect(await ask(headers)).toMatchObject({
    status: 400,
    body: expect.stringContaining('"malformed-request"') as string,
  });
  expect(await parts.engine.received()).toEqual([]);
});

test("rejects every upgrade: HTTP/2 has no WebSocket", async () => {
  expect(
    (
      await ask(
        { ":method": "GET", "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==", "sec-websocket-version": "13" },
        "",
      )
    ).status,
  ).toBe(405);
  expect(session.remoteSettings.enableConnectProtocol).not.toBe(true);
  expect(await parts.engine.received()).toEqual([]);
});
