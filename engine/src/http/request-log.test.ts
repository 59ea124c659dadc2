import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { EngineError } from "../errors.ts";
import { adminSecret, serveFake, type ServedFake } from "../lifecycle/testing/served-engine.ts";

const environment = { HASURA_GRAPHQL_LOG_LEVEL: "info" };
const id = "0123456789abcdef0123456789abcdef";
const headers = { "x-hasura-admin-secret": adminSecret, "x-request-id": id, "content-type": "application/json" };

async function ask(server: ServedFake, body: unknown, given: Record<string, string> = headers): Promise<Response> {
  const response = await fetch(`${server.url}/v1/graphql`, {
    method: "POST",
    headers: given,
    body: JSON.stringify(body),
  });
  await response.text();
  await turn();
  return response;
}

const linesOf = (server: ServedFake): Record<string, unknown>[] =>
  server
    .log()
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as Record<string, unknown>);

test("logs one line for a request, and sends no header without errors", async () => {
  await using server = await serveFake({}, environment);
  const response = await ask(server, { query: "{ a }" });
  expect(response.headers.has("x-graphql-errors")).toBe(false);
  expect(linesOf(server)).toMatchObject([
    { requestId: id, method: "POST", route: "/v1/graphql", status: 200, role: "admin", message: "request answered" },
  ]);
});

test("names the codes of the errors in the line and in a header", async () => {
  const execute = (): Promise<string> => Promise.reject(new EngineError({ code: "timeout", message: "hidden" }));
  await using server = await serveFake({ execute }, environment);
  const single = await ask(server, { query: "{ a }" });
  expect(single.status).toBe(200);
  expect(single.headers.get("x-graphql-errors")).toBe("timeout");
  const batch = await ask(server, [{ query: "{ a }" }, { query: "{ b }" }]);
  expect(batch.headers.get("x-graphql-errors")).toBe("timeout");
  expect(linesOf(server).filter(({ message }) => message === "request answered")).toMatchObject([
    { errors: ["timeout"] },
    { errors: ["timeout"] },
  ]);
  expect(server.log()).not.toContain("hidden");
});

test("logs the trace of the client, or without one the request id", async () => {
  await using server = await serveFake({}, environment);
  const trace = "0af7651916cd43dd8448eb211c80319c";
  await ask(server, { query: "{ a }" }, { ...headers, traceparent: `00-${trace}-b7ad6b7169203331-01` });
  await ask(server, { query: "{ a }" });
  expect(linesOf(server)).toMatchObject([
    { requestId: id, traceId: trace },
    { requestId: id, traceId: id },
  ]);
});

test("logs a rejected token with its reason and without the token", async () => {
  await using server = await serveFake({}, environment);
  const response = await ask(server, { query: "{ a }" }, { authorization: "Bearer secret.token", "x-request-id": id });
  expect(response.headers.get("x-graphql-errors")).toBe("invalid-jwt");
  expect(linesOf(server)).toMatchObject([
    {
      requestId: id,
      code: "invalid-jwt",
      reason: expect.stringContaining("Could not verify JWT") as string,
      message: "credentials rejected",
    },
    { requestId: id, status: 200, errors: ["invalid-jwt"], message: "request answered" },
  ]);
  expect(server.log()).not.toContain("secret.token");
});

test("logs an unknown path as other", async () => {
  await using server = await serveFake({}, environment);
  await (await fetch(`${server.url}/secret-in-the-path`, { headers })).text();
  await turn();
  expect(linesOf(server)).toMatchObject([{ requestId: id, route: "other", status: 404 }]);
});

test("logs one line for a WebSocket, with its operations and errors", async () => {
  await using server = await serveFake({}, environment);
  const socket = new WebSocket(server.webSocketUrl, "graphql-transport-ws", { headers });
  await once(socket, "open");
  socket.send(JSON.stringify({ type: "connection_init" }));
  await once(socket, "message");
  socket.send(JSON.stringify({ type: "subscribe", id: "1", payload: { query: "{ a }" } }));
  await once(socket, "message");
  socket.close();
  await expect
    .poll(() => linesOf(server))
    .toMatchObject([
      { requestId: id, traceId: id, route: "/v1/graphql", status: 101, role: "admin", operations: 1, failed: 0 },
    ]);
});
