import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startTracing } from "@routeql/tracing/tracing";
import { OtlpReceiver } from "@routeql/tracing/testing/otlp-receiver";
import { expect, test } from "vitest";
import { createApplication } from "./application.ts";
import { batch } from "./batch.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { SidecarError } from "./errors.ts";
import { jsonBody } from "./http/json-body.ts";
import { createLogger } from "./logging.ts";
import { createMetrics } from "./metrics.ts";
import { Passwords } from "./passwords/passwords.ts";
import { inStoreSpan } from "./sessions/redis.ts";

const gatewayKey = "k".repeat(32);
const requestId = "0123456789abcdef0123456789abcdef";
const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };

/** Spans and log lines after the requests, by a sidecar with these endpoints. */
async function traced(
  endpoints: readonly Endpoint[],
  work: (url: string) => Promise<void>,
): Promise<{ receiver: OtlpReceiver; lines: Record<string, unknown>[] }> {
  await using receiver = await OtlpReceiver.start();
  const lines: Record<string, unknown>[] = [];
  const log = createLogger("debug", { write: (line) => void lines.push(JSON.parse(line) as Record<string, unknown>) });
  const tracing = await startTracing({
    service: "routeql-auth-sidecar",
    version: "1",
    endpoint: receiver.url,
    percent: 100,
    onEvent: () => undefined,
  });
  const server = createServer(createApplication(endpoints, log, createMetrics(), { tracing, gatewayKey }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    await work(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
  } finally {
    server.close();
    server.closeAllConnections();
    await tracing?.stop();
  }
  return { receiver, lines };
}

const login = async (url: string, headers: Record<string, string>): Promise<void> => {
  const body = JSON.stringify({ password: "of-the-user" });
  await (
    await fetch(`${url}/login`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-gateway-key": gatewayKey, ...headers },
      body,
    })
  ).text();
};

test("a request has a server span with its steps, in the trace of its log line", async () => {
  const passwords = new Passwords({ concurrency: 1, queue: 1 });
  const endpoint: Endpoint = {
    path: "/login",
    audience: "public",
    methods: ["POST"],
    handlers: [
      ...jsonBody(1, { required: true }),
      async (_request, response) => {
        await passwords.matches(undefined, "of-the-user");
        await inStoreSpan("createSession", () =>
          Promise.reject(Object.assign(new Error("hidden words"), { code: "ECONNREFUSED" })),
        ).catch(() => undefined);
        response.json({});
      },
    ],
  };
  const { receiver, lines } = await traced([endpoint], (url) =>
    login(url, { traceparent: `00-${caller.traceId}-${caller.spanId}-01` }),
  );
  expect(lines).toMatchObject([{ traceId: caller.traceId, status: 200 }]);
  const spans = receiver.of(caller.traceId);
  const request = spans.find(({ kind }) => kind === 2);
  expect(request).toMatchObject({
    service: "routeql-auth-sidecar",
    name: "POST /login",
    parentSpanId: caller.spanId,
    attributes: { "http.route": "/login", "http.response.status_code": 200 },
  });
  const steps = spans.filter((span) => span !== request);
  expect(steps.map(({ name, parentSpanId, attributes }) => [name, parentSpanId, attributes["error.type"]])).toEqual([
    ["argon2id", request?.spanId, undefined],
    ["createSession", request?.spanId, "ECONNREFUSED"],
  ]);
  expect(receiver.text).not.toMatch(/of-the-user|hidden words/);
});

test("requests that share a statement each have a span of it", async () => {
  let statements = 0;
  const load = batch(
    async (items: readonly string[]) => {
      statements += 1;
      return inStoreSpan("inner", () => Promise.resolve(items));
    },
    { concurrency: 1, part: "sessions", name: "useSessions" },
  );
  const endpoint: Endpoint = {
    path: "/login",
    audience: "public",
    methods: ["POST"],
    handlers: [async (_request, response) => void response.json(await load("x"))],
  };
  const ids = [requestId, requestId.replace("0", "f")];
  const { receiver } = await traced([endpoint], async (url) => {
    await Promise.all(ids.map((id) => login(url, { "x-request-id": id })));
  });
  expect(statements).toBeGreaterThan(0);
  for (const id of ids)
    expect(
      receiver
        .of(id)
        .map(({ name }) => name)
        .toSorted(),
    ).toEqual(["POST /login", "useSessions"]);
  expect(receiver.spans).toHaveLength(4);
});

test("names the code of a failed request, and traces no health check", async () => {
  const fails: Endpoint = {
    path: "/login",
    audience: "public",
    methods: ["POST"],
    handlers: [
      () => {
        throw new SidecarError("internal");
      },
    ],
  };
  const health: Endpoint = {
    path: "/readyz",
    audience: "inside",
    methods: ["GET"],
    handlers: [(_request, response) => void response.json({})],
  };
  const { receiver } = await traced([fails, health], async (url) => {
    await login(url, { "x-request-id": requestId });
    await (await fetch(`${url}/readyz`)).text();
  });
  expect(receiver.spans).toMatchObject([
    { traceId: requestId, failed: true, attributes: { "routeql.errors": "internal", "error.type": "500" } },
  ]);
});
