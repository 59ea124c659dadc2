/** Every documented refusal of the gateway over HTTP/1.1, HTTP/2 and in the handshake of a WebSocket. */
import { once } from "node:events";
import { connect, type IncomingHttpHeaders } from "node:http2";
import type { OutgoingHttpHeaders } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { errorCodes, type ErrorCode } from "@routeql/contract/error-codes";
import { paths } from "@routeql/contract/paths";
import { errorBody } from "@routeql/nginx/errors-file";
import type { StartedGateway } from "./support/gateway-container.ts";
import { request } from "./support/request.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

interface Asked {
  readonly path: string;
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

interface Refusal {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

async function overHttp1(gateway: StartedGateway, { path, ...options }: Asked): Promise<Refusal> {
  const { status, headers, body } = await request(gateway, path, options);
  return { status, headers, body: body.toString() };
}

async function overHttp2(gateway: StartedGateway, { path, method = "GET", headers, body }: Asked): Promise<Refusal> {
  const session = connect(`https://${gateway.getHost()}:${gateway.port("api")}`, {
    ca: gateway.certificate.certificate,
    servername: "localhost",
  });
  try {
    const stream = session.request({ ":method": method, ":path": path, ...headers }, { endStream: body === undefined });
    // The gateway may end the stream before it has read the whole body.
    stream.on("error", () => undefined);
    session.on("error", () => undefined);
    const response = once(stream, "response") as Promise<[IncomingHttpHeaders & { ":status"?: number }]>;
    if (body !== undefined) stream.end(body);
    const [[received], content] = await Promise.all([response, text(stream)]);
    return { status: received[":status"] ?? 0, headers: received, body: content };
  } finally {
    session.destroy();
  }
}

/** The same request as a handshake. */
function asHandshake(gateway: StartedGateway, { path, headers }: Asked): Promise<Refusal> {
  const upgrade = {
    connection: "Upgrade",
    upgrade: "websocket",
    "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
    "sec-websocket-version": "13",
    "sec-websocket-protocol": "graphql-transport-ws",
  };
  return overHttp1(gateway, { path, headers: { ...headers, ...upgrade } });
}

const ways = { "HTTP/1.1": overHttp1, "HTTP/2": overHttp2, "a handshake": asHandshake } as const;
type Way = keyof typeof ways;
const http: readonly Way[] = ["HTTP/1.1", "HTTP/2"];
/** Over HTTP/2 the sum of all headers has a limit, beyond which the connection ends. */
const http1: readonly Way[] = ["HTTP/1.1", "a handshake"];
const all: readonly Way[] = [...http, "a handshake"];

const json = { "content-type": "application/json" };
const large = "x".repeat(300_000);

const refusals: ReadonlyArray<readonly [ErrorCode, Asked, readonly Way[]]> = [
  ["not-found", { path: "/nothing" }, all],
  ["uri-too-long", { path: `${paths.graphql}?${"x".repeat(9000)}` }, http1],
  ["headers-too-large", { path: paths.graphql, headers: { authorization: `Bearer ${"x".repeat(9000)}` } }, http1],
  ["method-not-allowed", { path: paths.graphql }, http],
  ["unsupported-media-type", { path: paths.graphql, method: "POST", headers: {}, body: "x" }, http],
  ["payload-too-large", { path: paths.graphql, method: "POST", headers: json, body: large }, http],
  [
    "payload-too-large",
    { path: paths.graphql, method: "POST", headers: { ...json, "content-length": String(large.length) }, body: large },
    http,
  ],
  ["payload-too-large", { path: paths.singleStepToken, method: "POST", headers: json, body: large }, http],
];

function expectRefusal({ status, headers, body }: Refusal, code: ErrorCode): void {
  expect([status, body]).toEqual([errorCodes[code].status, errorBody(code)]);
  expect(headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
  if (status === 405) expect(headers["allow"]).toBe("POST");
  if (status === 429 || status === 503) expect(Number(headers["retry-after"])).toBeGreaterThan(0);
}

describe("refusals", () => {
  let parts: GatewayParts;
  beforeAll(async () => void (parts = await startGatewayParts()));
  afterAll(() => parts?.[Symbol.asyncDispose]());

  test.each(refusals.flatMap(([code, asked, over]) => over.map((way) => [code, way, asked] as const)))(
    "%s over %s",
    async (code, way, asked) => {
      expectRefusal(await ways[way](parts.gateway, asked), code);
      expect([...(await parts.engine.received()), ...(await parts.sidecar.received())]).toEqual([]);
    },
  );
});

test("headers beyond the limit end a connection of HTTP/2", async () => {
  await using parts = await startGatewayParts();
  const headers = Object.fromEntries(Array.from({ length: 6 }, (_, index) => [`x-${index}`, "x".repeat(7000)]));
  await expect(overHttp2(parts.gateway, { path: paths.graphql, headers })).rejects.toThrow(/session|error code 11/i);
  expect(await parts.engine.received()).toEqual([]);
});

describe("refusals under load", () => {
  const asked: Asked = { path: paths.graphql, method: "POST", headers: json, body: "{}" };

  test.each(all)("too-many-requests over %s", async (way) => {
    await using parts = await startGatewayParts({ settings: { requestsPerSecondPerAddress: 1, burst: 1 } });
    // Refusals are slow, and the rate of the address recovers meanwhile. An accepted handshake never ends.
    const replies = Array.from({ length: 20 }, async () => {
      const reply = await ways[way](parts.gateway, asked);
      return reply.status === errorCodes["too-many-requests"].status ? reply : Promise.reject(new Error("accepted"));
    });
    expectRefusal(await Promise.any(replies), "too-many-requests");
  });

  test("unavailable over each way", async () => {
    await using parts = await startGatewayParts();
    await parts.engine[Symbol.asyncDispose]();
    for (const way of all) expectRefusal(await ways[way](parts.gateway, asked), "unavailable");
  });
});
