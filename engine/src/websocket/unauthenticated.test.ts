import { expect, test, vi } from "vitest";
import type { Authentication } from "../auth/authenticator.ts";
import { createSession } from "../auth/session.ts";
import { adminSecret, serveFake } from "../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../lifecycle/testing/socket-client.ts";
import { parseClientMessage } from "./client-message.ts";

vi.setConfig({ testTimeout: 30_000 });

const protocols = ["graphql-transport-ws", "graphql-ws"] as const;
const init = { type: "connection_init", payload: { headers: { "x-hasura-admin-secret": adminSecret } } };
const unterminated = `"${'\\"'.repeat(7_000)}`;

test("parsing a frame does not inspect the request in it", () => {
  const payload = {};
  Object.defineProperty(payload, "query", { get: () => expect.unreachable("the query was read") });
  const parse = vi.spyOn(JSON, "parse").mockReturnValue({ type: "subscribe", id: "1", payload });
  expect(parseClientMessage("{}")).toEqual({ type: "start", id: "1", payload });
  parse.mockRestore();
});

test.each(protocols)("%s: rejects a start with any payload before connection_init", async (protocol) => {
  await using server = await serveFake();
  for (const payload of [{ query: unterminated }, { query: 1 }, {}, null]) {
    const client = await new SocketClient(server.webSocketUrl, protocol).opened();
    client.send({ type: "subscribe", id: "1", payload });
    expect(JSON.stringify(await client.next())).toContain("start received before the connection is initialised");
    client.socket.terminate();
  }
  expect(server.engine.calls.executed).toEqual([]);
});

test.each(protocols)("%s: closes a connection that sends more than 32 KiB before connection_init", async (protocol) => {
  await using server = await serveFake();
  const client = await new SocketClient(server.webSocketUrl, protocol).opened();
  client.send({ type: "pong", payload: "x".repeat(100_000) });
  expect((await client.closed).code).toBe(1006);
});

test.each(protocols)("%s: closes a connection whose message inflates beyond 32 KiB", async (protocol) => {
  await using server = await serveFake({}, { HASURA_GRAPHQL_CONNECTION_COMPRESSION: "true" });
  const client = await new SocketClient(server.webSocketUrl, protocol).opened();
  expect(client.socket.extensions).toContain("permessage-deflate");
  client.send({ type: "pong", payload: "x".repeat(100_000) });
  expect((await client.closed).code).toBe(1006);
  const other = await new SocketClient(server.webSocketUrl, protocol).opened();
  other.send(init);
  expect((await other.next()).type).toBe("connection_ack");
  other.send({ type: "subscribe", id: "1", payload: { query: `{ a } #${"x".repeat(100_000)}` } });
  expect((await other.next()).id).toBe("1");
});

test.each(protocols)("%s: accepts large requests after connection_init", async (protocol) => {
  await using server = await serveFake();
  const client = await new SocketClient(server.webSocketUrl, protocol).opened();
  client.send(init);
  expect((await client.next()).type).toBe("connection_ack");
  client.send({ type: "subscribe", id: "1", payload: { query: `{ a } #${"x".repeat(200_000)}` } });
  expect((await client.next()).id).toBe("1");
});

test("reads nothing while a token is being verified", async () => {
  const verified = Promise.withResolvers<Authentication>();
  await using server = await serveFake(
    {},
    {},
    {
      authenticator: {
        authenticate: () => verified.promise,
        onRevocation: () => undefined,
        onPreviousSecret: () => undefined,
        close: () => undefined,
      },
    },
  );
  const client = await new SocketClient(server.webSocketUrl, "graphql-transport-ws").opened();
  client.send(init);
  for (let count = 0; count < 100; count += 1)
    client.send({ type: "subscribe", id: String(count), payload: { query: `{ a } #${"x".repeat(200_000)}` } });
  await new Promise((wake) => setTimeout(wake, 300));
  expect(client.socket.bufferedAmount).toBeGreaterThan(10_000_000);
  verified.resolve({ session: createSession("viewer", []), expiresAt: Infinity, isRevoked: () => false });
  expect((await client.next()).type).toBe("connection_ack");
  await expect.poll(() => server.engine.calls.executed.length).toBe(100);
});
