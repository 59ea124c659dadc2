import { describe, test } from "vitest";
import { once } from "node:events";
import { connect } from "node:http2";
import { text } from "node:stream/consumers";
import { paths } from "@routeql/contract/paths";
import { errorBody } from "@routeql/nginx/errors-file";
import { statuses } from "../harness/exchange.ts";
import type { StartedGateway } from "./support/gateway-container.ts";
import { raw } from "./support/raw.ts";
import { query, request } from "./support/request.ts";
import { openSocket } from "./support/socket.ts";
import { sharedGatewayParts, startGatewayParts } from "./support/gateway-parts.ts";

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

const upgradeOfAnotherSite = { upgrade: "websocket", connection: "upgrade", origin: "https://evil.example.net" };

async function statusOverHttp2(
  gateway: StartedGateway,
  given?: Readonly<Record<string, string>>,
): Promise<number | undefined> {
  const session = connect(`https://${gateway.getHost()}:${gateway.port("api")}`, {
    ca: gateway.certificate.certificate,
    servername: "localhost",
  });
  const usual = { ":method": "POST", ":path": paths.graphql, "content-type": "application/json" };
  const stream = session.request({ ...usual, ...given });
  const response = once(stream, "response") as Promise<[{ ":status"?: number }]>;
  stream.end(given === undefined ? "{}" : "");
  const [[headers]] = await Promise.all([response, text(stream)]);
  session.destroy();
  return headers[":status"];
}

// Each test has its own gateway, and most wait for one of its timeouts.
describe.concurrent("limits", () => {
  test("an address over its rate and burst gets 429 until it slows down", async ({ expect }) => {
    await using parts = await startGatewayParts({ settings: { requestsPerSecondPerAddress: 2, burst: 4 } });
    const { gateway, engine } = parts;
    const begun = performance.now();
    const replies = await Promise.all(Array.from({ length: 40 }, () => query(gateway)));
    const seconds = (performance.now() - begun) / 1000;
    const passed = replies.filter((reply) => reply.status === 200).length;
    expect(passed).toBeGreaterThanOrEqual(5);
    // One, the burst, and two for each second of sending.
    expect(passed).toBeLessThanOrEqual(5 + Math.ceil(2 * seconds) + 1);
    expect(passed).toBeLessThan(40);
    expect(await engine.received()).toHaveLength(passed);
    for (const reply of replies.filter((reply) => reply.status !== 200)) {
      expect([reply.status, reply.headers["retry-after"], reply.body.toString()]).toEqual([
        429,
        "1",
        errorBody("too-many-requests"),
      ]);
      expect(reply.headers["cache-control"]).toBe("no-store");
    }
    await pause(1200);
    expect((await query(gateway)).status).toBe(200);
  });

  test("requests that the gateway refuses itself count in the rate", async ({ expect }) => {
    await using parts = await startGatewayParts({ settings: { requestsPerSecondPerAddress: 1, burst: 3 } });
    const { gateway } = parts;
    for (const [path, options, status] of [
      ["/nothing", {}, 404],
      [paths.graphql, { method: "PUT" }, 405],
      [paths.graphql, { headers: upgradeOfAnotherSite }, 400],
      [paths.graphql, { method: "POST", headers: { "content-type": "text/plain" }, body: "{}" }, 415],
    ] as const) {
      const replies = await Promise.all(Array.from({ length: 20 }, () => request(gateway, path, options)));
      const found = replies.map((reply) => reply.status);
      expect(found.filter((one) => one === status).length, path).toBeGreaterThanOrEqual(1);
      expect(new Set(found), path).toEqual(new Set([status, 429]));
      await pause(4_500);
    }
  });

  test.for(["h1", "h2"] as const)("a 429 takes at least half a second over %s", async (protocol, { expect }) => {
    await using parts = await startGatewayParts({ settings: { requestsPerSecondPerAddress: 1, burst: 1 } });
    const { gateway } = parts;
    const ask = protocol === "h1" ? async () => (await query(gateway)).status : () => statusOverHttp2(gateway);
    const refused: number[] = [];
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const begun = performance.now();
        if ((await ask()) === 429) refused.push(performance.now() - begun);
      }),
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(Math.min(...refused)).toBeGreaterThan(500);
  });

  test("refusals before the rate is counted take at least half a second", async ({ expect }) => {
    await using parts = await startGatewayParts();
    const { gateway } = parts;
    for (const [status, ask] of [
      [404, async () => (await request(gateway, "/-/errors/not-found")).status],
      [404, async () => (await request(gateway, "/-/refused/404")).status],
      [404, () => statusOverHttp2(gateway, { ":path": "/-/errors/not-found" })],
      [413, () => statusOverHttp2(gateway, { "content-length": "300000" })],
      [405, () => statusOverHttp2(gateway, { ":method": "TRACE" })],
    ] as const) {
      const begun = performance.now();
      expect(await ask()).toBe(status);
      expect(performance.now() - begun, `${status} of ${ask.toString()}`).toBeGreaterThan(500);
    }
  });

  test("logins of all three kinds share one stricter limit, which spares other paths", async ({ expect }) => {
    await using parts = await startGatewayParts({ settings: { loginRequestsPerMinutePerAddress: 6 } });
    const { gateway, sidecar } = parts;
    const logins = [paths.loginCredentials, paths.loginLdap, paths.singleStepToken, "/api/auth/login/%63redentials"];
    const replies = [];
    for (let attempt = 0; attempt < 8; attempt += 1) {
      replies.push(
        await request(gateway, logins[attempt % logins.length] ?? "", {
          method: "POST",
          headers: { "x-forwarded-for": `192.0.2.${attempt}` },
        }),
      );
    }
    expect(replies.map((reply) => reply.status)).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
    expect([replies[7]?.headers["retry-after"], replies[7]?.body.toString()]).toEqual([
      "10",
      errorBody("too-many-requests"),
    ]);
    expect(await sidecar.received()).toHaveLength(6);
    expect((await request(gateway, paths.token)).status).toBe(200);
    expect((await query(gateway)).status).toBe(200);
  });

  test("an address holds no more connections than its limit, WebSockets included", async ({ expect }) => {
    await using parts = await startGatewayParts({ settings: { connectionsPerAddress: 3 } });
    const { gateway } = parts;
    const sockets = Array.from({ length: 3 }, () => openSocket(gateway));
    await Promise.all(sockets.map((socket) => once(socket, "message")));
    const refused = await query(gateway);
    expect([refused.status, refused.body.toString()]).toEqual([429, errorBody("too-many-requests")]);
    sockets[0]?.terminate();
    await expect.poll(async () => (await query(gateway)).status, { timeout: 30_000, interval: 100 }).toBe(200);
    for (const socket of sockets) socket.terminate();
  });

  test("disconnects a client with slow headers or body before it reaches the engine", async ({ expect }) => {
    await using parts = await startGatewayParts({
      edit: (files) => {
        files["client-limits.conf"] = (files["client-limits.conf"] ?? "").replaceAll(
          /(client_(?:header|body)_timeout +)10s/g,
          "$11s",
        );
      },
    });
    const { gateway, engine } = parts;
    const head =
      "POST /api/graphql HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n";
    for (const text of ["POST /api/graphql HTTP/1.1\r\nHost: a\r\nX-Slow: ", `${head}{"query"`]) {
      expect(statuses(await raw(gateway, text))).toEqual([]);
    }
    expect(await engine.received()).toEqual([]);
  });

  test("the limits for slow clients are ten seconds", async ({ expect }) => {
    const { gateway } = await sharedGatewayParts();
    const begun = performance.now();
    await raw(gateway, "POST /api/graphql HTTP/1.1\r\nHost: a\r\nX-Slow: ", { silence: 30_000 });
    const milliseconds = performance.now() - begun;
    expect(milliseconds).toBeGreaterThan(9000);
  });
});
