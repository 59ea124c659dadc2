import { describe, expect, test, vi } from "vitest";
import { EngineError } from "../errors.ts";
import { connectClient, initialiseClient } from "../lifecycle/testing/socket-client.ts";
import { adminSecret, type FakeBehaviour } from "../lifecycle/testing/served-engine.ts";
import type { Environment } from "@routeql/contract/environment";

vi.setConfig({ testTimeout: 30_000 });

const init = { type: "connection_init", payload: { headers: { "X-Engine-Access-Key": adminSecret } } };

const protocol = { name: "graphql-transport-ws", init };
const connect = (behaviour: FakeBehaviour = {}, environment: Environment = {}) =>
  connectClient(protocol, behaviour, environment);
const initialised = (behaviour: FakeBehaviour = {}, environment: Environment = {}) =>
  initialiseClient(protocol, behaviour, environment);

describe("graphql-transport-ws", () => {
  test("acknowledges, then pings at every interval", async () => {
    await using connected = await connect({}, { HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: "1" });
    connected.client.send(init);
    expect(await connected.client.nextOfAny()).toEqual({ type: "connection_ack" });
    expect(await connected.client.nextOfAny()).toEqual({ type: "ping", payload: { message: "keepalive" } });
  });

  test("answers a ping with its payload", async () => {
    await using connected = await connect();
    connected.client.send({ type: "ping", payload: { n: 1 } });
    expect(await connected.client.next()).toEqual({ type: "pong", payload: { n: 1 } });
    connected.client.send({ type: "ping" });
    expect(await connected.client.next()).toEqual({ type: "pong" });
  });

  test("runs a query: next, then complete", async () => {
    await using connected = await initialised();
    connected.client.send({ type: "subscribe", id: "q", payload: { query: "{ a }" } });
    expect(await connected.client.next()).toEqual({
      type: "next",
      id: "q",
      payload: { data: { role: "admin", variables: null } },
    });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "q" });
  });

  test("understands the other protocol's names too", async () => {
    await using connected = await initialised();
    connected.client.send({ type: "start", id: "q", payload: { query: "{ a }" } });
    expect((await connected.client.next()).type).toBe("next");
  });

  test("pushes a live query's answers until complete", async () => {
    let answer = '{"data":{"updates":1}}';
    await using connected = await initialised({ answer: () => answer });
    connected.client.send({ type: "subscribe", id: "a", payload: { query: "subscription { updates }" } });
    expect(await connected.client.next()).toEqual({ type: "next", id: "a", payload: { data: { updates: 1 } } });
    answer = '{"data":{"updates":2}}';
    expect(await connected.client.next()).toEqual({ type: "next", id: "a", payload: { data: { updates: 2 } } });
    connected.client.send({ type: "complete", id: "a" });
    connected.client.send({ type: "ping" });
    expect((await connected.client.next()).type).toBe("pong");
    expect(connected.server.engine.calls.released).toHaveLength(1);
  });

  test("answers a rejected request with error, then complete", async () => {
    await using connected = await initialised();
    connected.client.send({ type: "subscribe", id: "1", payload: { query: "subscription { unknown_field }" } });
    expect(await connected.client.next()).toMatchObject({
      type: "error",
      id: "1",
      payload: [{ extensions: { code: "validation-failed" } }],
    });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("answers a failed execution with error, then complete", async () => {
    const failure = new EngineError({
      code: "unexpected",
      message: "database query error",
      internal: { sql: "SELECT 1" },
    });
    await using connected = await initialised({ execute: () => Promise.reject(failure) });
    connected.client.send({ type: "subscribe", id: "1", payload: { query: "{ a }" } });
    expect(await connected.client.next()).toEqual({
      type: "error",
      id: "1",
      payload: [
        {
          message: "database query error",
          extensions: { path: "$", code: "unexpected", internal: { sql: "SELECT 1" } },
        },
      ],
    });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("sends a failing poll as next, and continues", async () => {
    const failed = { text: '{"errors":[{"message":"gone"}]}', failed: true, empty: false };
    await using connected = await initialised({ answer: () => failed });
    connected.client.send({ type: "subscribe", id: "1", payload: { query: "subscription { updates }" } });
    expect(await connected.client.next()).toEqual({
      type: "next",
      id: "1",
      payload: { data: null, errors: [{ message: "gone" }] },
    });
  });

  test.each<[string, object, string]>([
    [
      "a wrong secret",
      { headers: { "x-hasura-admin-secret": "wrong" } },
      'invalid "x-hasura-admin-secret"/"x-hasura-access-key"',
    ],
    ["a bad token", { headers: { Authorization: "Bearer a.b.c" } }, "Could not verify JWT: "],
    ["a bad token without the key headers", { Authorization: "Bearer a.b.c" }, "Could not verify JWT: "],
    ["nothing", {}, "Missing 'Authorization' or 'Cookie' header in JWT "],
  ])("closes 4403 with the reason for %s", async (_title, payload, message) => {
    await using connected = await connect();
    connected.client.send({ type: "connection_init", payload });
    const { code, reason } = await connected.client.closed;
    expect(code).toBe(4403);
    expect((JSON.parse(reason) as { server_error_msg: string }).server_error_msg).toContain(
      `4403: Forbidden: ${message}`,
    );
    expect(connected.client.waiting).toBe(0);
  });

  test("closes 4400 after a subscribe without a query", async () => {
    await using connected = await initialised();
    connected.client.send({ type: "subscribe", id: "1", payload: {} });
    const { code, reason } = await connected.client.closed;
    expect([code, reason]).toEqual([
      4400,
      expect.stringContaining("4400: Parsing client message failed: parsing ClientMessage failed: "),
    ]);
  });

  test.each(["{", "[]", '{"type":"hello"}', `{"type":"${"x".repeat(500)}"}`])(
    "closes 4400 after the frame %s",
    async (frame) => {
      await using connected = await connect();
      connected.client.send(frame);
      const { code, reason } = await connected.client.closed;
      expect(code).toBe(4400);
      const { server_error_msg: message } = JSON.parse(reason) as { server_error_msg: string };
      expect(message).toMatch(/^4400: Parsing client message failed: parsing ClientMessage failed: /);
    },
  );

  test("rejects a subscribe before connection_init: error, then close 1000 with a 4400 text", async () => {
    await using connected = await connect();
    connected.client.send({ type: "subscribe", id: "1", payload: { query: "{ a }" } });
    expect(await connected.client.next()).toMatchObject({
      type: "error",
      id: "1",
      payload: [{ extensions: { code: "start-failed" } }],
    });
    const { code, reason } = await connected.client.closed;
    expect([code, JSON.parse(reason)]).toEqual([
      1000,
      { server_error_msg: "4400: start received before the connection is initialised" },
    ]);
    expect(connected.server.engine.calls.executed).toHaveLength(0);
  });

  test("rejects an id in use: error, then close 1000 with a 4400 text", async () => {
    await using connected = await initialised({ answer: () => '{"data":{}}' });
    const subscribe = { type: "subscribe", id: "1", payload: { query: "subscription { updates }" } };
    connected.client.send(subscribe);
    await connected.client.next();
    connected.client.send(subscribe);
    expect(await connected.client.next()).toMatchObject({
      type: "error",
      payload: [{ extensions: { code: "start-failed" } }],
    });
    const { code, reason } = await connected.client.closed;
    expect([code, JSON.parse(reason)]).toEqual([
      1000,
      { server_error_msg: "4400: an operation already exists with this id: 1" },
    ]);
  });

  test("closes 4408 without connection_init in time", async () => {
    await using connected = await connect({}, { HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: "1" });
    expect(await connected.client.closed).toEqual({ code: 4408, reason: "Connection initialisation timed out" });
  });

  test("an id is available again once its operation is complete", async () => {
    await using connected = await initialised();
    for (let round = 0; round < 3; round += 1) {
      connected.client.send({ type: "subscribe", id: "1", payload: { query: "{ a }" } });
      expect((await connected.client.next()).type).toBe("next");
      expect((await connected.client.next()).type).toBe("complete");
    }
  });
});
