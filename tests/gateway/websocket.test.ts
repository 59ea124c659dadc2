import { once } from "node:events";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { WebSocket } from "ws";
import { paths } from "@routeql/contract/paths";
import { statuses } from "../harness/exchange.ts";
import type { StartedGateway } from "./support/gateway-container.ts";
import { raw } from "./support/raw.ts";
import { request } from "./support/request.ts";
import { openSocket } from "./support/socket.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";
import type { Received } from "./support/upstream-program.ts";

let parts: GatewayParts;
beforeAll(async () => void (parts = await startGatewayParts({ settings: { idleWebSocketSeconds: 4 } })));
beforeEach(async () => void (await Promise.all([parts.engine.answer(), parts.sidecar.answer()])));
afterAll(() => parts?.[Symbol.asyncDispose]());

const handshake = {
  "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
  "sec-websocket-version": "13",
  connection: "Upgrade",
};

/** An open socket with the handshake that the engine received. */
async function open(
  gateway: StartedGateway,
  {
    listener = "api",
    headers = {},
    protocols = ["graphql-transport-ws"],
  }: { listener?: "api" | "console"; headers?: Record<string, string>; protocols?: string[] } = {},
): Promise<{ socket: WebSocket; seen: Received }> {
  const socket = openSocket(gateway, {
    listener,
    protocols,
    headers,
    search: "?token=secret",
    origin: "https://app.example.net",
  });
  const [data] = (await once(socket, "message")) as [Buffer];
  return { socket, seen: JSON.parse(data.toString()) as Received };
}

describe.each(["api", "console"] as const)("on the %s listener", (listener) => {
  test.each([["graphql-transport-ws"], ["graphql-ws"]])(
    "the protocol %s is negotiated with the engine's /v1/graphql",
    async (protocol) => {
      const { socket, seen } = await open(parts.gateway, { listener, protocols: [protocol] });
      expect([socket.protocol, seen.method, seen.target]).toEqual([protocol, "GET", "/v1/graphql"]);
      socket.terminate();
    },
  );

  test("forwards frames in both directions", async () => {
    const { socket } = await open(parts.gateway, { listener });
    for (const text of ["a", "b".repeat(200_000)]) {
      socket.send(text);
      const [data] = (await once(socket, "message")) as [Buffer];
      expect(data.toString()).toBe(text);
    }
    socket.terminate();
  });
});

test("the handshake carries exactly the listed headers", async () => {
  const headers = {
    authorization: "Bearer a",
    "x-engine-access-key": "master",
    "x-hasura-role": "admin",
    cookie: "sid=1",
    "x-forwarded-for": "192.0.2.1",
  };
  const { socket, seen } = await open(parts.gateway, { headers });
  socket.terminate();
  expect(seen.headers).toEqual({
    host: "engine",
    connection: "upgrade",
    upgrade: "websocket",
    authorization: "Bearer a",
    "x-hasura-admin-secret": "master",
    // The gateway passes a role only with the master key.
    "x-hasura-role": "admin",
    origin: "https://app.example.net",
    "sec-websocket-extensions": expect.stringContaining("permessage-deflate") as string,
    "sec-websocket-key": expect.any(String) as string,
    "sec-websocket-protocol": "graphql-transport-ws",
    "sec-websocket-version": "13",
    "x-forwarded-for": expect.any(String) as string,
    "x-forwarded-proto": "https",
    "x-request-id": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
  });
});

test.each([
  ["https://attacker.example", 400],
  ["null", 400],
  ["https://app.example.net.attacker.example", 400],
  ["https://app.example.net:444", 400],
  ["https://app.example.net", 101],
  ["HTTPS://APP.EXAMPLE.NET", 101],
])("a WebSocket of a page of %s is answered %i", async (origin, status) => {
  const socket = openSocket(parts.gateway, { protocols: ["graphql-transport-ws"], origin });
  const answered = await Promise.race([
    once(socket, "open").then(() => 101),
    once(socket, "unexpected-response").then(([, response]) => (response as { statusCode: number }).statusCode),
  ]);
  socket.terminate();
  expect(answered).toBe(status);
});

test("forwards the engine's rejection of a handshake", async () => {
  await parts.engine.answer({ "/v1/graphql": { status: 403, body: '{"error":"no"}' } });
  const reply = await request(parts.gateway, paths.graphql, { headers: { ...handshake, upgrade: "websocket" } });
  expect([reply.status, reply.body.toString()]).toEqual([403, '{"error":"no"}']);
});

test.each(["h2c", "TLS/1.0", "websocket, h2c", "h2c, websocket", "websocketx", ""])(
  "rejects an upgrade to %j",
  async (upgrade) => {
    const reply = await request(parts.gateway, paths.graphql, { headers: { ...handshake, upgrade } });
    expect(reply.status).toBe(405);
    expect(await parts.engine.received()).toEqual([]);
  },
);

test("a POST never upgrades, despite its headers", async () => {
  const head = `POST ${paths.graphql} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n{}`;
  expect(statuses(await raw(parts.gateway, head))).toEqual([200]);
  const [entry] = await parts.engine.received();
  expect([entry?.headers["upgrade"], entry?.headers["connection"]]).toEqual([undefined, undefined]);
});

test.each([paths.token, paths.singleStepToken, "/"])("forwards no handshake from %s", async (path) => {
  const reply = await request(parts.gateway, path, {
    headers: { ...handshake, upgrade: "websocket" },
    listener: "console",
  });
  expect(reply.status).toBe(200);
  for (const entry of [...(await parts.engine.received()), ...(await parts.sidecar.received())])
    expect(entry.headers).not.toHaveProperty("upgrade");
});

test("keeps an active socket open and closes it after the idle time", async () => {
  const { socket } = await open(parts.gateway);
  // Longer than the idle time in total, and each pause is far shorter.
  for (let turn = 0; turn < 6; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 800));
    socket.send("keep-alive");
    await once(socket, "message");
  }
  const start = Date.now();
  await once(socket, "close");
  expect(Date.now() - start).toBeGreaterThan(3000);
});
