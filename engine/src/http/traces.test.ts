import { expect, test } from "vitest";
import { OtlpReceiver } from "@routeql/tracing/testing/otlp-receiver";
import { EngineError } from "../errors.ts";
import { adminSecret, type FakeBehaviour, type ServedFake, serveFake } from "../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../lifecycle/testing/socket-client.ts";

const requestId = "0123456789abcdef0123456789abcdef";
const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = `00-${caller.traceId}-${caller.spanId}-01`;
const headers = { "x-hasura-admin-secret": adminSecret, "x-request-id": requestId };

interface Traced {
  readonly receiver: OtlpReceiver;
  /** Trace ids of the lines of answered requests. */
  readonly logged: unknown[];
}

/** Spans and log lines after the work and the end of the server. */
async function traced(
  work: (server: ServedFake) => Promise<void>,
  behaviour: FakeBehaviour = {},
  percent = "100",
): Promise<Traced> {
  await using receiver = await OtlpReceiver.start();
  const server = await serveFake(behaviour, { TRACE_ENDPOINT: receiver.url, TRACE_PERCENT: percent });
  try {
    await work(server);
  } finally {
    await server.served.stop();
  }
  const lines = server
    .log()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  return {
    receiver,
    logged: lines.filter(({ message }) => message === "request answered").map(({ traceId }) => traceId),
  };
}

const post = async ({ url }: ServedFake, body: unknown, more: Record<string, string> = {}): Promise<void> => {
  await (
    await fetch(`${url}/v1/graphql`, { method: "POST", headers: { ...headers, ...more }, body: JSON.stringify(body) })
  ).text();
};

test("a request has a server span with its operation, in the trace of its log line", async () => {
  const { receiver, logged } = await traced((server) =>
    post(server, { query: "{ a }", variables: { hidden: "of-the-user" } }),
  );
  expect(logged).toEqual([requestId]);
  expect(receiver.of(requestId)).toEqual([
    expect.objectContaining({
      service: "routeql-engine",
      name: "POST /v1/graphql",
      kind: 2,
      parentSpanId: "",
      attributes: expect.objectContaining({
        "http.request.method": "POST",
        "http.route": "/v1/graphql",
        "http.response.status_code": 200,
        "graphql.operation.type": "query",
        "routeql.role": "admin",
      }),
    }),
  ]);
  expect(receiver.text).not.toContain("of-the-user");
});

test("a request continues the trace of its caller", async () => {
  const { receiver, logged } = await traced((server) => post(server, { query: "{ a }" }, { traceparent }), {}, "0");
  expect(logged).toEqual([caller.traceId]);
  expect(receiver.of(caller.traceId).find(({ kind }) => kind === 2)?.parentSpanId).toBe(caller.spanId);
});

test("each operation of a batch has a span, and a failed one has the code of its error", async () => {
  const execute: FakeBehaviour["execute"] = ({ query }) =>
    query === "{ b }"
      ? Promise.reject(new EngineError({ code: "timeout", message: "hidden words" }))
      : Promise.resolve("{}");
  const { receiver } = await traced((server) => post(server, [{ query: "{ a }" }, { query: "{ b }" }]), { execute });
  const operations = receiver.of(requestId).filter(({ name }) => name === "GraphQL operation");
  expect(operations.map(({ failed, attributes }) => [failed, attributes["error.type"]])).toEqual([
    [false, undefined],
    [true, "timeout"],
  ]);
  expect(receiver.of(requestId).find(({ kind }) => kind === 2)?.attributes["routeql.errors"]).toBe("timeout");
  expect(receiver.text).not.toContain("hidden words");
});

test("each operation of a WebSocket has a server span in the trace of the connection", async () => {
  const { receiver, logged } = await traced(
    async (server) => {
      const client = await new SocketClient(server.webSocketUrl, "graphql-transport-ws", {
        ...headers,
        traceparent,
      }).opened();
      client.send({ type: "connection_init" });
      await client.next();
      client.send({ type: "subscribe", id: "1", payload: { query: "{ a }" } });
      await client.next();
      await client.next();
      client.send({ type: "subscribe", id: "2", payload: { query: "subscription { updates }" } });
      await client.next();
      client.send({ type: "subscribe", id: "3", payload: { query: "syntax error subscription" } });
      while ((await client.next()).id !== "3");
      client.socket.close();
      await client.closed;
    },
    {},
    "0",
  );
  expect(logged).toEqual([caller.traceId]);
  const spans = receiver.of(caller.traceId).filter(({ kind }) => kind === 2);
  expect(spans.map(({ name, parentSpanId, failed }) => ({ name, parentSpanId, failed }))).toEqual([
    { name: "query", parentSpanId: caller.spanId, failed: false },
    { name: "subscription", parentSpanId: caller.spanId, failed: false },
    { name: "GraphQL operation", parentSpanId: caller.spanId, failed: true },
  ]);
  const plan = receiver.of(caller.traceId).find(({ name }) => name === "plan");
  expect(plan?.parentSpanId).toBe(spans[1]?.spanId);
});

test("health checks and unknown paths have no span", async () => {
  const { receiver } = await traced(async ({ url }) => {
    for (const path of ["/healthz", "/a-path-of-the-client"]) await (await fetch(url + path)).text();
  });
  expect(receiver.spans).toEqual([]);
});
