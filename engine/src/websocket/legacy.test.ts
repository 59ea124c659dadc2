import { describe, expect, test, vi } from "vitest";
import { EngineError } from "../errors.ts";
import { connectClient, initialiseClient, SocketClient } from "../lifecycle/testing/socket-client.ts";
import { adminSecret, type FakeBehaviour, serveFake } from "../lifecycle/testing/served-engine.ts";
import type { Environment } from "@routeql/contract/environment";

vi.setConfig({ testTimeout: 30_000 });

const headers = { "X-Hasura-Admin-Secret": adminSecret };
const init = { type: "connection_init", payload: { headers } };

const protocol = { name: "graphql-ws", init };
const connect = (behaviour: FakeBehaviour = {}, environment: Environment = {}) =>
  connectClient(protocol, behaviour, environment);
const initialised = (behaviour: FakeBehaviour = {}, environment: Environment = {}) =>
  initialiseClient(protocol, behaviour, environment);

describe("the legacy protocol, graphql-ws", () => {
  test("acknowledges, sends a keep-alive immediately and then at every interval", async () => {
    await using connected = await connect({}, { HASURA_GRAPHQL_WEBSOCKET_KEEPALIVE: "1" });
    connected.client.send(init);
    const types = [];
    for (let count = 0; count < 3; count += 1) types.push((await connected.client.nextOfAny()).type);
    expect(types).toEqual(["connection_ack", "ka", "ka"]);
  });

  test.each([undefined, "graphql-ws"])("applies to the subprotocol %s", async (protocol) => {
    await using server = await serveFake();
    const client = await new SocketClient(server.webSocketUrl, protocol).opened();
    client.send(init);
    expect((await client.nextOfAny()).type).toBe("connection_ack");
    expect((await client.nextOfAny()).type).toBe("ka");
  });

  test("runs a query: data, then complete", async () => {
    await using connected = await initialised({
      execute: () => Promise.resolve('{"data":{"big":12345678901234567890}}'),
    });
    connected.client.send({ type: "start", id: "1", payload: { query: "{ big }" } });
    await connected.client.next();
    await connected.client.next();
    expect(connected.client.texts.slice(-2)).toEqual([
      '{"type":"data","id":"1","payload":{"data":{"big":12345678901234567890}}}',
      '{"type":"complete","id":"1"}',
    ]);
  });

  test("pushes a live query's answers, and stops on request", async () => {
    let answer = '{"data":{"updates":1}}';
    await using connected = await initialised({ answer: () => answer });
    connected.client.send({ type: "start", id: "a", payload: { query: "subscription { updates }" } });
    expect(await connected.client.next()).toEqual({ type: "data", id: "a", payload: { data: { updates: 1 } } });
    answer = '{"data":{"updates":2}}';
    expect(await connected.client.next()).toEqual({ type: "data", id: "a", payload: { data: { updates: 2 } } });
    connected.client.send({ type: "stop", id: "a" });
    connected.client.send({ type: "start", id: "b", payload: { query: "{ after }" } });
    expect((await connected.client.next()).id).toBe("b");
    expect(connected.server.engine.calls.released).toHaveLength(1);
  });

  test("answers a rejected request with error, then complete", async () => {
    await using connected = await initialised();
    connected.client.send({ type: "start", id: "1", payload: { query: "subscription { unknown_field }" } });
    const extensions = { path: "$.selectionSet.unknown_field", code: "validation-failed" };
    const message = "field 'unknown_field' not found in type: 'subscription_root'";
    expect(await connected.client.next()).toEqual({
      type: "error",
      id: "1",
      payload: { errors: [{ message, extensions }] },
    });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("answers a failed execution with data and null, then complete", async () => {
    const failure = new EngineError({ code: "data-exception", message: "division by zero" });
    await using connected = await initialised({ execute: () => Promise.reject(failure) });
    connected.client.send({ type: "start", id: "1", payload: { query: "{ a }" } });
    const errors = [{ message: "division by zero", extensions: { path: "$", code: "data-exception" } }];
    expect(await connected.client.next()).toEqual({ type: "data", id: "1", payload: { data: null, errors } });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("sends a failing poll as data, continues, and reports it once", async () => {
    let fails = false;
    const failed = { text: '{"errors":[{"message":"gone"}]}', failed: true, empty: false };
    await using connected = await initialised({ answer: () => (fails ? failed : '{"data":{"updates":1}}') });
    connected.client.send({ type: "start", id: "1", payload: { query: "subscription { updates }" } });
    expect((await connected.client.next()).payload).toEqual({ data: { updates: 1 } });
    fails = true;
    expect(await connected.client.next()).toEqual({
      type: "data",
      id: "1",
      payload: { data: null, errors: [{ message: "gone" }] },
    });
    fails = false;
    expect((await connected.client.next()).payload).toEqual({ data: { updates: 1 } });
  });

  test("rejects a subscription whose first poll fails through its own fault: error, then complete", async () => {
    const fault = new EngineError({ code: "data-exception", message: "bad value" });
    await using connected = await initialised({ answer: () => ({ text: "{}", failed: true, empty: false, fault }) });
    connected.client.send({ type: "start", id: "1", payload: { query: "subscription { updates }" } });
    const errors = [{ message: "bad value", extensions: { path: "$", code: "data-exception" } }];
    expect(await connected.client.next()).toEqual({ type: "error", id: "1", payload: { errors } });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
    expect(connected.server.engine.calls.released).toHaveLength(1);
  });

  test("rejects credentials with connection_error, then closes 4400", async () => {
    await using connected = await connect();
    connected.client.send({ type: "connection_init", payload: { headers: { "x-hasura-admin-secret": "wrong" } } });
    const message = 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"';
    expect(await connected.client.next()).toEqual({ type: "connection_error", payload: message });
    const { code, reason } = await connected.client.closed;
    expect(code).toBe(4400);
    expect(JSON.parse(reason)).toEqual({ server_error_msg: `4400: Connection initialization failed: ${message}` });
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
    await using connected = await connect();
    connected.client.send(frame);
    const answer = await connected.client.next();
    expect(answer.type).toBe("connection_error");
    expect(answer.payload).toMatch(/^parsing ClientMessage failed: /);
    expect(answer.payload).toContain(detail);
    connected.client.send(init);
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
    await using connected = await initialised();
    connected.client.send(frame);
    expect(await connected.client.next()).toEqual({
      type: "connection_error",
      payload: expect.stringContaining(detail) as unknown,
    });
    connected.client.send({ type: "start", id: "1", payload: { query: "{ a }" } });
    expect((await connected.client.next()).type).toBe("data");
  });

  test("rejects a start before connection_init: error, complete, still open", async () => {
    await using connected = await connect();
    connected.client.send({ type: "start", id: "1", payload: { query: "{ a }" } });
    const extensions = { path: "$", code: "start-failed" };
    expect(await connected.client.next()).toEqual({
      type: "error",
      id: "1",
      payload: { message: "start received before the connection is initialised", extensions },
    });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
    connected.client.send(init);
    expect((await connected.client.next()).type).toBe("connection_ack");
  });

  test("rejects an id in use: error, complete, still open", async () => {
    await using connected = await initialised({ answer: () => '{"data":{}}' });
    const start = { type: "start", id: "1", payload: { query: "subscription { updates }" } };
    connected.client.send(start);
    await connected.client.next();
    connected.client.send(start);
    expect(await connected.client.next()).toMatchObject({
      type: "error",
      payload: { message: "an operation already exists with this id: 1", extensions: { code: "start-failed" } },
    });
    expect(await connected.client.next()).toEqual({ type: "complete", id: "1" });
  });

  test("closes 1011 without connection_init in time", async () => {
    await using connected = await connect({}, { HASURA_GRAPHQL_WEBSOCKET_CONNECTION_INIT_TIMEOUT: "1" });
    expect(await connected.client.closed).toMatchObject({ code: 1011 });
  });

  test("closes 1000 on connection_terminate", async () => {
    await using connected = await initialised();
    connected.client.send({ type: "connection_terminate" });
    expect(await connected.client.closed).toEqual({ code: 1000, reason: "GQL_CONNECTION_TERMINATE received" });
  });

  test("closes 4429 on a second connection_init", async () => {
    await using connected = await initialised();
    connected.client.send(init);
    expect((await connected.client.closed).code).toBe(4429);
  });
});
