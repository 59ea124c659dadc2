import { once } from "node:events";
import { setImmediate as turn } from "node:timers/promises";
import { pino } from "pino";
import { expect, test } from "vitest";
import { WebSocket } from "ws";
import { busy, EngineError } from "../errors.ts";
import { adminSecret, type ServedFake, serveFake } from "../lifecycle/testing/served-engine.ts";
import { createErrorLog } from "./request-log.ts";

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

test("names the reason of a 503 in the lines, the header and the metrics, not in the reply", async () => {
  await using server = await serveFake({ execute: () => Promise.reject(busy("wait", 10)) }, environment);
  const response = await fetch(`${server.url}/v1/graphql`, { method: "POST", headers, body: '{"query":"{ a }"}' });
  expect(response.status).toBe(503);
  expect(response.headers.get("x-graphql-errors")).toBe("busy:wait");
  expect(await response.json()).toEqual({
    errors: [{ message: "the server is busy, try again later", extensions: { path: "$", code: "busy" } }],
  });
  await turn();
  expect(linesOf(server)).toMatchObject([
    { level: "warn", code: "busy", reason: "wait", status: 503, message: "request refused" },
    { status: 503, errors: ["busy:wait"], message: "request answered" },
  ]);
  const metrics = await (await fetch(`http://127.0.0.1:${server.served.metricsPort}/metrics`)).text();
  expect(metrics).toContain('routeql_engine_unavailable_total{reason="wait"} 1');
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

/** The log line of an error, or undefined if it has none at the level `info`. */
function lineOf(error: EngineError): Record<string, unknown> | undefined {
  const lines: string[] = [];
  const logger = pino(
    { level: "info", timestamp: false, base: null, formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => void lines.push(line) },
  );
  createErrorLog(logger)(error, { requestId: "r", role: "viewer" });
  expect(lines.length).toBeLessThan(2);
  return lines[0] === undefined ? undefined : (JSON.parse(lines[0]) as Record<string, unknown>);
}

test("a failure of the server is an error with its cause", () => {
  const cause = Object.assign(new Error("of a client"), { code: "57P01" });
  expect(lineOf(new EngineError({ code: "postgres-error", status: 500, message: "of a client", cause }))).toEqual({
    level: "error",
    requestId: "r",
    role: "viewer",
    code: "postgres-error",
    path: "$",
    status: 500,
    cause: { name: "Error", code: "57P01" },
    msg: "request failed",
  });
});

test("a client that floods the server cannot fill the log with errors", () => {
  expect(lineOf(new EngineError({ code: "busy", status: 503, message: "the server is busy" }))).toMatchObject({
    level: "warn",
    code: "busy",
    status: 503,
    msg: "request refused",
  });
});

test("the refused request of a client has no line", () => {
  expect(lineOf(new EngineError({ code: "validation-failed", status: 400, message: "of a client" }))).toBeUndefined();
});
