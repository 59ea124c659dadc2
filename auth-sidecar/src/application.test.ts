import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, test } from "vitest";
import { createApplication } from "./application.ts";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { createLogger } from "./logging.ts";
import { createMetrics } from "./metrics.ts";

const id = "0123456789abcdef0123456789abcdef";
const gatewayKey = "k".repeat(32);
const endpoints: readonly Endpoint[] = [
  { path: "/login", audience: "public", methods: ["POST"], handlers: [(_request, response) => void response.json({})] },
  { path: "/readyz", audience: "inside", methods: ["GET"], handlers: [(_request, response) => void response.json({})] },
];

/** Sends requests and returns the `count` lines at `level`. */
async function linesAfter(
  level: string,
  count: number,
  requests: readonly (readonly [method: string, path: string])[],
): Promise<Record<string, unknown>[]> {
  const lines: string[] = [];
  const log = createLogger(level, { write: (line) => void lines.push(line) });
  const server = createServer(createApplication(endpoints, log, createMetrics(), { gatewayKey }));
  await once(server.listen(0, "127.0.0.1"), "listening");
  try {
    for (const [method, path] of requests) {
      const { port } = server.address() as AddressInfo;
      await (
        await fetch(`http://127.0.0.1:${port}${path}`, {
          method,
          headers: { "x-request-id": id, "x-gateway-key": gatewayKey, connection: "close" },
        })
      ).text();
    }
    await expect.poll(() => lines.length).toBe(count);
  } finally {
    server.close();
  }
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
}

test.each([
  ["POST", "/login", {}, 404],
  ["POST", "/login", { "x-gateway-key": "x".repeat(32) }, 404],
  ["POST", "/login", { "x-gateway-key": gatewayKey }, 200],
  ["GET", "/readyz", {}, 200],
])(
  "%s %s with the headers %j is %i: public endpoints exist for the gateway only",
  async (method, path, headers, status) => {
    const application = createApplication(endpoints, createLogger("silent"), createMetrics(), { gatewayKey });
    const server = createServer(application);
    await once(server.listen(0, "127.0.0.1"), "listening");
    try {
      const { port } = server.address() as AddressInfo;
      expect(
        (await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { ...headers, connection: "close" } }))
          .status,
      ).toBe(status);
    } finally {
      server.close();
    }
  },
);

test("logs one line for each request of a client", async () => {
  const lines = await linesAfter("info", 2, [
    ["GET", "/readyz"],
    ["POST", "/secret?a=secret"],
    ["POST", "/login"],
  ]);
  expect(lines).toMatchObject([
    {
      level: "info",
      requestId: id,
      method: "other",
      route: "other",
      status: 404,
      code: "not-found",
      msg: "request answered",
    },
    {
      level: "info",
      requestId: id,
      traceId: id,
      method: "POST",
      route: "/login",
      status: 200,
      msg: "request answered",
    },
  ]);
  expect(JSON.stringify(lines)).not.toContain("secret");
});

test("logs requests of other services at the level debug only", async () => {
  expect(await linesAfter("debug", 1, [["GET", "/readyz"]])).toMatchObject([
    { level: "debug", route: "/readyz", status: 200 },
  ]);
});
