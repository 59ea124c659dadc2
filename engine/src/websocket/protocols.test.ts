import type { Environment } from "@routeql/contract/environment";
import { describe, expect, test, vi } from "vitest";
import { EngineError } from "../errors.ts";
import { adminSecret, type FakeBehaviour, serveFake } from "../lifecycle/testing/served-engine.ts";
import { connectClient, type Connected, initialiseClient, SocketClient } from "../lifecycle/testing/socket-client.ts";

vi.setConfig({ testTimeout: 30_000 });

const legacy = {
  name: "graphql-ws",
  init: { type: "connection_init", payload: { headers: { "X-Hasura-Admin-Secret": adminSecret } } },
  start: "start",
  data: "data",
  stop: "stop",
  errors: (...errors: object[]): unknown => ({ errors }),
};
const transport = {
  name: "graphql-transport-ws",
  init: { type: "connection_init", payload: { headers: { "X-Engine-Access-Key": adminSecret } } },
  start: "subscribe",
  data: "next",
  stop: "complete",
  errors: (...errors: object[]): unknown => errors,
};
type Protocol = typeof legacy | typeof transport;

const connect = (protocol: Protocol, behaviour: FakeBehaviour = {}, environment: Environment = {}) =>
  connectClient(protocol, behaviour, environment);
const initialised = (protocol: Protocol, behaviour: FakeBehaviour = {}, environment: Environment = {}) =>
  initialiseClient(protocol, behaviour, environment);
const start = ({ start: type }: Protocol, id: string, query: string) => ({ type, id, payload: { query } });

async function closeOf({ client }: Connected): Promise<{ readonly code: number; readonly message: string }> {
  const { code, reason } = await client.closed;
  return { code, message: (JSON.parse(reason) as { server_error_msg: string }).server_error_msg };
}

describe.each([legacy, transport])("$name", (protocol) => {
  test("runs a query: its data unchanged, then complete", async () => {
    const execute = () => Promise.resolve('{"data":{"big":12345678901234567890}}');
    await using connected = await initialised(protocol, { execute });
    connected.client.send(start(protocol, "1", "{ big }"));
    await connected.client.next();
    await connected.client.next();
    expect(connected.client.texts.slice(-2)).toEqual([
      `{"type":"${protocol.data}","id":"1","payload":{"data":{"big":12345678901234567890}}}`,
      '{"type":"complete","id":"1"}',
    ]);
  });

  test("an id is available again once its operation is complete", async () => {
    await using connected = await initialised(protocol);
    for (let round = 0; round < 3; round += 1) {
      connected.client.send(start(protocol, "1", "{ a }"));
      expect((await connected.client.next()).type).toBe(protocol.data);
      expect((await connected.client.next()).type).toBe("complete");
    }
  });

  test("pushes a live query's answers, and stops on request", async () => {
    let answer = '{"data":{"updates":1}}';
    await using connected = await initialised(protocol, { answer: () => answer });
    const type = protocol.data;
    connected.client.send(start(protocol, "a", "subscription { updates }"));
    expect(await connected.client.next()).toEqual({ type, id: "a", payload: { data: { updates: 1 } } });
    answer = '{"data":{"updates":2}}';
    expect(await connected.client.next()).toEqual({ type, id: "a", payload: { data: { updates: 2 } } });
    connected.client.send({ type: protocol.stop, id: "a" });
    connected.client.send(start(protocol, "b", "{ after }"));
    expect((await connected.client.next()).id).toBe("b");
    expect(connected.server.engine.calls.released).toHaveLength(1);
  });

  test("answers a rejected request with error, then complete", async () => {
    await using connected = await initialised(protocol);
    connected.client.send(start(protocol, "1", "subscription { unknown_field }"));
    const extensions = { path: "$.selectionSet.unknown_field", code: "validation-failed" };
    const message = "field 'unknown_field' not found in type: 'subscription_root'";
    const payload = protocol.errors({ message, extensions });
    expect(await connected.client.next()).toEqual({ type: "error", id: "1", payload });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("sends a failing poll as data, continues, and reports it once", async () => {
    let fails = false;
    const failed = { text: '{"errors":[{"message":"gone"}]}', failed: true, empty: false };
    await using connected = await initialised(protocol, { answer: () => (fails ? failed : '{"data":{"updates":1}}') });
    connected.client.send(start(protocol, "1", "subscription { updates }"));
    expect((await connected.client.next()).payload).toEqual({ data: { updates: 1 } });
    fails = true;
    const payload = { data: null, errors: [{ message: "gone" }] };
    expect(await connected.client.next()).toEqual({ type: protocol.data, id: "1", payload });
    fails = false;
    expect((await connected.client.next()).payload).toEqual({ data: { updates: 1 } });
  });

  test("rejects a subscription whose first poll fails through its own fault: error, then complete", async () => {
    const fault = new EngineError({ code: "data-exception", message: "bad value" });
    const answer = () => ({ text: "{}", failed: true, empty: false, fault });
    await using connected = await initialised(protocol, { answer });
    connected.client.send(start(protocol, "1", "subscription { updates }"));
    const payload = protocol.errors({ message: "bad value", extensions: { path: "$", code: "data-exception" } });
    expect(await connected.client.next()).toEqual({ type: "error", id: "1", payload });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
    expect(connected.server.engine.calls.released).toHaveLength(1);
  });
});

const failure = new EngineError({ code: "unexpected", message: "database query error", internal: { sql: "SELECT 1" } });
const failureShown = {
  message: "database query error",
  extensions: { path: "$", code: "unexpected", internal: { sql: "SELECT 1" } },
};

test.each([
  [legacy, { type: "data", id: "1", payload: { data: null, errors: [failureShown] } }],
  [transport, { type: "error", id: "1", payload: [failureShown] }],
])("$name answers a failed execution with its frame, then complete", async (protocol, frame) => {
  await using connected = await initialised(protocol, { execute: () => Promise.reject(failure) });
  connected.client.send(start(protocol, "1", "{ a }"));
  expect(await connected.client.next()).toEqual(frame);
  expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
});

const earlyStart = "start received before the connection is initialised";
const idInUse = "an operation already exists with this id: 1";

describe("the legacy protocol, graphql-ws", () => {
  test("acknowledges, sends a keep-alive immediately and then at every interval", async () => {
    await using connected = await connect(legacy, {}, { HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: "1" });
    connected.client.send(legacy.init);
    const types = [];
    for (let count = 0; count < 3; count += 1) types.push((await connected.client.nextOfAny()).type);
    expect(types).toEqual(["connection_ack", "ka", "ka"]);
  });

  test("applies without a subprotocol", async () => {
    await using server = await serveFake();
    const client = await new SocketClient(server.webSocketUrl, undefined).opened();
    client.send(legacy.init);
    expect((await client.nextOfAny()).type).toBe("connection_ack");
    expect((await client.nextOfAny()).type).toBe("ka");
  });

  test("rejects credentials with connection_error, then closes 4400", async () => {
    await using connected = await connect(legacy);
    connected.client.send({ type: "connection_init", payload: { headers: { "x-hasura-admin-secret": "wrong" } } });
    const message = 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"';
    expect(await connected.client.next()).toEqual({ type: "connection_error", payload: message });
    expect(await closeOf(connected)).toEqual({
      code: 4400,
      message: `4400: Connection initialization failed: ${message}`,
    });
  });

  test.each<[string, string, string]>([
    ["no JSON", "{", "not valid JSON"],
    ["a list", "[]", "expected Object"],
    ["no type", "{}", "unexpected type for ClientMessage: undefined"],
    ["an unknown type", '{"type":"hello"}', "unexpected type for ClientMessage: hello"],
    ["a start without id", '{"type":"start","payload":{"query":"{ a }"}}', "expected a string for the key 'id'"],
    [
      "headers in a list",
      '{"type":"connection_init","payload":{"headers":[]}}',
      "expected Object for the key 'headers'",
    ],
  ])("answers a frame with %s by connection_error, and stays open", async (_title, frame, detail) => {
    await using connected = await connect(legacy);
    connected.client.send(frame);
    const answer = await connected.client.next();
    expect(answer.type).toBe("connection_error");
    expect(answer.payload).toMatch(/^parsing ClientMessage failed: /);
    expect(answer.payload).toContain(detail);
    connected.client.send(legacy.init);
    expect((await connected.client.next()).type).toBe("connection_ack");
  });

  test.each<[string, string, string]>([
    ["a start without query", '{"type":"start","id":"1","payload":{}}', 'key "query" not found'],
    [
      "a start without payload",
      '{"type":"start","id":"1"}',
      "Error in $.payload: parsing Hasura.GraphQL.Transport.HTTP.Protocol.GQLReq(GQLReq) failed, expected Object, but encountered Null",
    ],
  ])("answers %s by connection_error, and stays open", async (_title, frame, detail) => {
    await using connected = await initialised(legacy);
    connected.client.send(frame);
    const payload: unknown = expect.stringContaining(detail);
    expect(await connected.client.next()).toEqual({ type: "connection_error", payload });
    connected.client.send(start(legacy, "1", "{ a }"));
    expect((await connected.client.next()).type).toBe("data");
  });

  test("rejects a start before connection_init: error, complete, still open", async () => {
    await using connected = await connect(legacy);
    connected.client.send(start(legacy, "1", "{ a }"));
    const payload = { message: earlyStart, extensions: { path: "$", code: "start-failed" } };
    expect(await connected.client.next()).toEqual({ type: "error", id: "1", payload });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
    connected.client.send(legacy.init);
    expect((await connected.client.next()).type).toBe("connection_ack");
  });

  test("rejects an id in use: error, complete, still open", async () => {
    await using connected = await initialised(legacy, { answer: () => '{"data":{}}' });
    connected.client.send(start(legacy, "1", "subscription { updates }"));
    await connected.client.next();
    connected.client.send(start(legacy, "1", "subscription { updates }"));
    const payload = { message: idInUse, extensions: { code: "start-failed" } };
    expect(await connected.client.next()).toMatchObject({ type: "error", payload });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("closes 1011 without connection_init in time", async () => {
    await using connected = await connect(legacy, {}, { HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: "1" });
    expect(await connected.client.closed).toMatchObject({ code: 1011 });
  });

  test("closes 1000 on connection_terminate", async () => {
    await using connected = await initialised(legacy);
    connected.client.send({ type: "connection_terminate" });
    expect(await connected.client.closed).toEqual({ code: 1000, reason: "GQL_CONNECTION_TERMINATE received" });
  });

  test("closes 4429 on a second connection_init", async () => {
    await using connected = await initialised(legacy);
    connected.client.send(legacy.init);
    expect((await connected.client.closed).code).toBe(4429);
  });
});

describe("graphql-transport-ws", () => {
  test("acknowledges, then pings at every interval", async () => {
    await using connected = await connect(transport, {}, { HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: "1" });
    connected.client.send(transport.init);
    expect(await connected.client.nextOfAny()).toEqual({ type: "connection_ack" });
    expect(await connected.client.nextOfAny()).toEqual({ type: "ping", payload: { message: "keepalive" } });
  });

  test("answers a ping with its payload", async () => {
    await using connected = await connect(transport);
    connected.client.send({ type: "ping", payload: { n: 1 } });
    expect(await connected.client.next()).toEqual({ type: "pong", payload: { n: 1 } });
    connected.client.send({ type: "ping" });
    expect(await connected.client.next()).toEqual({ type: "pong" });
  });

  test("understands the other protocol's names too", async () => {
    await using connected = await initialised(transport);
    connected.client.send(start(legacy, "q", "{ a }"));
    expect((await connected.client.next()).type).toBe("next");
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
  ])("closes 4403 with the reason for %s", async (_title, payload, reason) => {
    await using connected = await connect(transport);
    connected.client.send({ type: "connection_init", payload });
    const { code, message } = await closeOf(connected);
    expect(code).toBe(4403);
    expect(message).toContain(`4403: Forbidden: ${reason}`);
    expect(connected.client.waiting).toBe(0);
  });

  const badMessage = /^4400: Parsing client message failed: parsing ClientMessage failed: /;

  test("closes 4400 after a subscribe without a query", async () => {
    await using connected = await initialised(transport);
    connected.client.send({ type: "subscribe", id: "1", payload: {} });
    expect(await closeOf(connected)).toEqual({ code: 4400, message: expect.stringMatching(badMessage) as string });
  });

  test.each(["{", "[]", '{"type":"hello"}', `{"type":"${"x".repeat(500)}"}`])(
    "closes 4400 after the frame %s",
    async (frame) => {
      await using connected = await connect(transport);
      connected.client.send(frame);
      expect(await closeOf(connected)).toEqual({ code: 4400, message: expect.stringMatching(badMessage) as string });
    },
  );

  test("rejects a subscribe before connection_init: error, then close 1000 with a 4400 text", async () => {
    await using connected = await connect(transport);
    connected.client.send(start(transport, "1", "{ a }"));
    const payload = [{ extensions: { code: "start-failed" } }];
    expect(await connected.client.next()).toMatchObject({ type: "error", id: "1", payload });
    expect(await closeOf(connected)).toEqual({ code: 1000, message: `4400: ${earlyStart}` });
    expect(connected.server.engine.calls.executed).toHaveLength(0);
  });

  test("rejects an id in use: error, then close 1000 with a 4400 text", async () => {
    await using connected = await initialised(transport, { answer: () => '{"data":{}}' });
    connected.client.send(start(transport, "1", "subscription { updates }"));
    await connected.client.next();
    connected.client.send(start(transport, "1", "subscription { updates }"));
    const payload = [{ extensions: { code: "start-failed" } }];
    expect(await connected.client.next()).toMatchObject({ type: "error", payload });
    expect(await closeOf(connected)).toEqual({ code: 1000, message: `4400: ${idInUse}` });
  });

  test("closes 4408 without connection_init in time", async () => {
    await using connected = await connect(transport, {}, { HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: "1" });
    expect(await connected.client.closed).toEqual({ code: 4408, reason: "Connection initialisation timed out" });
  });
});
