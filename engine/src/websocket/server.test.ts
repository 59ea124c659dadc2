import { once } from "node:events";
import { Agent, type IncomingMessage, request as httpRequest } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { createClient } from "graphql-ws";
import { describe, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import { Turns } from "../cost/turns.ts";
import { EngineError } from "../errors.ts";
import { adminSecret, serveFake } from "../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../lifecycle/testing/socket-client.ts";
import { audience, frozenNow, goodClaims, hmacSecret, issuer, sign } from "../lifecycle/testing/tokens.ts";

vi.setConfig({ testTimeout: 30_000 });

const protocol = "graphql-transport-ws";
const secret = { "x-hasura-admin-secret": adminSecret };
const init = { type: "connection_init", payload: { headers: secret } };
const subscribe = { type: "subscribe", id: "1", payload: { query: "subscription { updates }" } };

/** A client after its `connection_ack`. */
async function connected({ webSocketUrl }: { readonly webSocketUrl: string }): Promise<SocketClient> {
  const client = await new SocketClient(webSocketUrl, protocol).opened();
  client.send(init);
  await client.next();
  return client;
}

function tokenUntil(at: number): Promise<string> {
  return sign(
    { ...goodClaims(), iat: at / 1000 - 3_600, nbf: undefined, exp: at / 1000 },
    "HS256",
    Buffer.from(hmacSecret),
  );
}

async function refusedUpgrade(
  url: string,
): Promise<{ status: number | undefined; headers: IncomingMessage["headers"]; body: string }> {
  const socket = new WebSocket(url, protocol);
  const [, response] = (await once(socket, "unexpected-response")) as [unknown, IncomingMessage];
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return { status: response.statusCode, headers: response.headers, body: Buffer.concat(chunks).toString() };
}

describe("credentials", () => {
  test("may arrive with the upgrade alone", async () => {
    await using server = await serveFake();
    const client = await new SocketClient(server.webSocketUrl, protocol, secret).opened();
    client.send({ type: "connection_init" });
    expect(await client.next()).toEqual({ type: "connection_ack" });
  });

  test("of connection_init override those of the upgrade", async () => {
    await using server = await serveFake();
    const upgrade = { authorization: "Bearer a.b.c" };
    const client = await new SocketClient(server.webSocketUrl, protocol, upgrade).opened();
    const authorization = `Bearer ${await tokenUntil(Date.now() + 60_000)}`;
    client.send({ type: "connection_init", payload: { headers: { AUTHORIZATION: authorization } } });
    expect(await client.next()).toEqual({ type: "connection_ack" });
    client.send({ type: "subscribe", id: "q", payload: { query: "{ a }" } });
    expect(await client.next()).toMatchObject({ payload: { data: { role: "viewer" } } });
  });

  test("handles messages sent before connection_ack after it, in order", async () => {
    await using server = await serveFake();
    const client = await new SocketClient(server.webSocketUrl, "graphql-ws").opened();
    const authorization = `Bearer ${await tokenUntil(Date.now() + 60_000)}`;
    client.send({ type: "connection_init", payload: { headers: { authorization } } });
    client.send({ type: "start", id: "1", payload: { query: "{ a }" } });
    client.send({ type: "start", id: "2", payload: { query: "{ b }" } });
    const frames = [];
    for (let count = 0; count < 5; count += 1) frames.push(await client.next());
    expect(frames[0]).toEqual({ type: "connection_ack" });
    expect(new Set(frames.slice(1).map(({ type, id }) => `${type} ${id ?? ""}`))).toEqual(
      new Set(["data 1", "complete 1", "data 2", "complete 2"]),
    );
  });

  test.each([
    ["of another origin", { origin: "https://attacker.example" }, 4403],
    ["without an origin", {}, undefined],
  ])("a cookie %s", async (_title, headers, code) => {
    const jwt = JSON.stringify({
      type: "HS256",
      key: hmacSecret,
      issuer,
      audience,
      header: { type: "Cookie", name: "token" },
    });
    await using server = await serveFake({}, { HASURA_GRAPHQL_JWT_SECRET: jwt });
    const cookie = `token=${await tokenUntil(Date.now() + 60_000)}`;
    const client = await new SocketClient(server.webSocketUrl, protocol, { cookie, ...headers }).opened();
    client.send({ type: "connection_init" });
    if (code === undefined) expect(await client.next()).toEqual({ type: "connection_ack" });
    else expect((await client.closed).code).toBe(code);
  });
});

describe("token expiry", () => {
  test.each(["graphql-ws", protocol])(
    "closes the socket with its subscriptions under %s, and not before",
    async (name) => {
      let clock = frozenNow;
      await using server = await serveFake({ answer: () => '{"data":{"updates":1}}' }, {}, { now: () => clock });
      const client = await new SocketClient(server.webSocketUrl, name).opened();
      client.send({
        type: "connection_init",
        payload: { headers: { Authorization: `Bearer ${await tokenUntil(frozenNow + 100)}` } },
      });
      expect((await client.next()).type).toBe("connection_ack");
      client.send(subscribe);
      expect((await client.next()).payload).toEqual({ data: { updates: 1 } });
      clock = frozenNow + 99;
      client.send({ ...subscribe, id: "2" });
      expect((await client.next()).id).toBe("2");
      clock = frozenNow + 100;
      const { code, reason } = await client.closed;
      expect([code, JSON.parse(reason)]).toEqual([4403, { server_error_msg: "4403: the access token has expired" }]);
      expect(server.engine.calls.released).toHaveLength(1);
    },
  );

  test("graphql-ws's own client then reconnects with a new token", async () => {
    let clock = frozenNow;
    await using server = await serveFake({ answer: () => '{"data":{"updates":1}}' }, {}, { now: () => clock });
    let connections = 0;
    const client = createClient({
      url: server.webSocketUrl,
      webSocketImpl: WebSocket,
      retryWait: () => Promise.resolve(),
      connectionParams: async () => {
        connections += 1;
        return {
          headers: { Authorization: `Bearer ${await tokenUntil(frozenNow + (connections === 1 ? 100 : 60_000))}` },
        };
      },
    });
    const results = client.iterate({ query: "subscription { updates }" });
    expect((await results.next()).value).toEqual({ data: { updates: 1 } });
    clock = frozenNow + 100;
    expect((await results.next()).value).toEqual({ data: { updates: 1 } });
    expect(connections).toBe(2);
    await results.return?.();
    await client.dispose();
  });
});

describe("upgrades", () => {
  test.each(["/v1/graphql", "/v1alpha1/graphql", "/v1/graphql?a=b"])("are accepted at %s", async (path) => {
    await using server = await serveFake();
    const client = await new SocketClient(`${server.url.replace("http", "ws")}${path}`, protocol).opened();
    client.send(init);
    expect(await client.next()).toEqual({ type: "connection_ack" });
  });

  test.each(["/", "/v1beta1/relay", "/v1/graphql/", "/healthz"])("are rejected with 404 at %s", async (path) => {
    await using server = await serveFake();
    const { status, body } = await refusedUpgrade(`${server.url.replace("http", "ws")}${path}`);
    expect(status).toBe(404);
    expect(JSON.parse(body)).toMatchObject({ errors: [{ extensions: { code: "not-found" } }] });
  });

  test("are rejected with 503 beyond the limit of connections", async () => {
    await using server = await serveFake({}, { ENGINE_MAX_CONNECTIONS: "1" });
    const first = await new SocketClient(server.webSocketUrl, protocol).opened();
    expect(await refusedUpgrade(server.webSocketUrl)).toMatchObject({ status: 503, headers: { "retry-after": "5" } });
    first.socket.close();
    await first.closed;
    await new SocketClient(server.webSocketUrl, protocol).opened();
  });
});

describe("clients that never close their side of a connection", () => {
  const handshake = ["Host: engine", "Connection: Upgrade", "Upgrade: websocket"];

  test.each([
    ["another path is asked for", ["GET /nowhere HTTP/1.1", ...handshake], {}, "404"],
    ["there are too many", ["GET /v1/graphql HTTP/1.1", ...handshake], { ENGINE_MAX_CONNECTIONS: "1" }, "503"],
    ["the handshake lacks its key", ["GET /v1/graphql HTTP/1.1", ...handshake], {}, "400"],
    ["it is not HTTP", ["nonsense"], {}, "400"],
  ])("do not keep it after a rejection because %s", async (_why, lines, environment, status) => {
    await using server = await serveFake({}, environment);
    if (status === "503") await new SocketClient(server.webSocketUrl, protocol).opened();
    const socket = connect({ host: "127.0.0.1", port: server.served.port, allowHalfOpen: true });
    socket.on("error", () => undefined);
    const gone = new Promise((resolve) => void socket.once("close", resolve));
    socket.write([...lines, "", ""].join("\r\n"));
    expect(String((await once(socket, "data"))[0])).toMatch(`HTTP/1.1 ${status} `);
    // A server that has released the socket resets it on further data.
    const writing = setInterval(() => socket.write("x"), 20);
    await gone;
    clearInterval(writing);
  });
});

describe("limits", () => {
  test("a message over the limit closes with 1009", async () => {
    await using server = await serveFake({}, { ENGINE_BODY_LIMIT: "1024" });
    const client = await new SocketClient(server.webSocketUrl, protocol).opened();
    client.send({ type: "ping", payload: "x".repeat(2_000) });
    expect((await client.closed).code).toBe(1009);
  });

  test("rejects operations over the limit, and continues the others", async () => {
    await using server = await serveFake(
      { answer: () => '{"data":{}}' },
      { ENGINE_MAX_OPERATIONS_PER_CONNECTION: "1" },
    );
    const client = await connected(server);
    client.send(subscribe);
    expect((await client.next()).type).toBe("next");
    client.send({ ...subscribe, id: "2" });
    expect(await client.next()).toMatchObject({
      type: "error",
      id: "2",
      payload: [{ extensions: { code: "start-failed" } }],
    });
    expect(await client.next()).toEqual({ type: "complete", id: "2" });
    client.send({ type: "complete", id: "1" });
    client.send({ ...subscribe, id: "3" });
    expect(await client.next()).toMatchObject({ type: "next", id: "3" });
  });

  test("aborts a query that the client cancels", async () => {
    const aborted = Promise.withResolvers<string>();
    const started = Promise.withResolvers<void>();
    await using server = await serveFake({
      execute: (_request, _session, { signal }) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            aborted.resolve("aborted");
            reject(signal.reason);
          });
          started.resolve();
        }),
    });
    const client = await connected(server);
    client.send({ type: "subscribe", id: "1", payload: { query: "{ slow }" } });
    await started.promise;
    client.socket.terminate();
    expect(await aborted.promise).toBe("aborted");
  });

  test("starts no operation whose turn comes after the end of its connection", async () => {
    await using server = await serveFake();
    const client = await connected(server);
    const turn = Promise.withResolvers<void>();
    const run = vi.spyOn(Turns.prototype, "run").mockImplementation((_client, work) => turn.promise.then(work));
    client.send(subscribe);
    await vi.waitFor(() => expect(run).toHaveBeenCalledOnce(), 20_000);
    server.served.restartConnections();
    await client.closed;
    turn.resolve();
    // Five intervals between polls.
    await sleep(100);
    expect(server.engine.calls.polled).toEqual([]);
    run.mockRestore();
  });
});

describe("server shutdown", () => {
  test("closes every connection with 1012", async () => {
    const server = await serveFake({ answer: () => '{"data":{}}' });
    const client = await connected(server);
    client.send(subscribe);
    await client.next();
    await server.served.stop();
    expect(await client.closed).toEqual({ code: 1012, reason: "shutting server down" });
    expect(server.engine.isClosed).toBe(true);
  });

  test("is not delayed by a client that never answers the close frame", async () => {
    const server = await serveFake();
    const { hostname, port } = new URL(server.url);
    const socket = connect(Number(port), hostname);
    const lines = ["GET /v1/graphql HTTP/1.1", `Host: ${hostname}`, "Connection: Upgrade", "Upgrade: websocket"];
    const key = Buffer.alloc(16).toString("base64");
    socket.write([...lines, "Sec-WebSocket-Version: 13", `Sec-WebSocket-Key: ${key}`, "", ""].join("\r\n"));
    await once(socket, "data");
    const gone = once(socket, "close");
    socket.on("error", () => undefined);
    await server.served.stop();
    socket.resume();
    await expect(gone).resolves.toBeDefined();
  });

  test("changed metadata closes every connection with 1012, and new ones are accepted", async () => {
    await using server = await serveFake();
    const client = await new SocketClient(server.webSocketUrl, protocol).opened();
    server.served.restartConnections();
    expect(await client.closed).toEqual({ code: 1012, reason: "Server state changed, restarting the server" });
    await new SocketClient(server.webSocketUrl, protocol).opened();
  });

  test("lets a running request finish, and closes its connection afterwards", async () => {
    const release = Promise.withResolvers<string>();
    const entered = Promise.withResolvers<void>();
    const server = await serveFake({
      execute: () => {
        entered.resolve();
        return release.promise;
      },
    });
    const request = fetch(`${server.url}/v1/graphql`, { method: "POST", headers: secret, body: '{"query":"{ a }"}' });
    await entered.promise;
    const stopped = server.served.stop();
    release.resolve('{"data":{"a":1}}');
    const response = await request;
    expect(await response.text()).toBe('{"data":{"a":1}}');
    expect(response.headers.get("connection")).toBe("close");
    await stopped;
  });

  test("answers a request that arrives on a kept connection, and closes the connection after", async () => {
    const server = await serveFake({}, {}, { quiet: 600_000 });
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const ask = async (): Promise<IncomingMessage> => {
      const request = httpRequest(`${server.url}/v1/graphql`, { method: "POST", headers: secret, agent });
      request.end('{"query":"{ a }"}');
      const [response] = (await once(request, "response")) as [IncomingMessage];
      response.resume();
      await once(response, "end");
      return response;
    };
    const [before, stopped] = [await ask(), server.served.stop()];
    const after = await ask();
    expect([before, after].map(({ statusCode, headers }) => [statusCode, headers.connection])).toEqual([
      [200, "keep-alive"],
      [200, "close"],
    ]);
    await stopped;
  });

  test("aborts a request that exceeds the graceful timeout", async () => {
    const entered = Promise.withResolvers<void>();
    const server = await serveFake(
      {
        execute: () => {
          entered.resolve();
          return new Promise<string>(() => undefined);
        },
      },
      { HASURA_GRAPHQL_GRACEFUL_SHUTDOWN_TIMEOUT: "0" },
    );
    const request = fetch(`${server.url}/v1/graphql`, { method: "POST", headers: secret, body: '{"query":"{ a }"}' });
    await entered.promise;
    await Promise.all([server.served.stop(), expect(request).rejects.toThrow("fetch failed")]);
  });
});

describe("on /v1alpha1/graphql errors have the form of Hasura's older endpoints", () => {
  const refused = {
    path: "$.selectionSet.unknown_field",
    error: "field 'unknown_field' not found in type: 'subscription_root'",
    code: "validation-failed",
  };
  const failed = { path: "$", error: "division by zero", code: "data-exception" };
  const failure = new EngineError({ code: "data-exception", message: "division by zero" });

  test.each([
    [
      "graphql-ws",
      "start",
      { type: "error", id: "1", payload: refused },
      { type: "data", id: "2", payload: { data: null, errors: [failed] } },
    ],
    [
      protocol,
      "subscribe",
      { type: "error", id: "1", payload: refused },
      { type: "error", id: "2", payload: [failed] },
    ],
  ])("over %s", async (name, start, refusal, failureFrame) => {
    await using server = await serveFake({ execute: () => Promise.reject(failure) });
    const client = await new SocketClient(server.webSocketUrl.replace("/v1/", "/v1alpha1/"), name, secret).opened();
    client.send({ type: "connection_init" });
    expect((await client.next()).type).toBe("connection_ack");
    client.send({ type: start, id: "1", payload: { query: "subscription { unknown_field }" } });
    expect(await client.next()).toEqual(refusal);
    expect(await client.next()).toEqual({ type: "complete", id: "1" });
    client.send({ type: start, id: "2", payload: { query: "{ a }" } });
    expect(await client.next()).toEqual(failureFrame);
  });
});

describe("a page of another origin", () => {
  const upgrade = (url: string, origin: string) => {
    const socket = new WebSocket(url, protocol, { origin });
    return Promise.race([
      once(socket, "open").then(() => 101),
      once(socket, "unexpected-response").then(([, response]) => (response as IncomingMessage).statusCode),
    ]);
  };

  test("may connect if HASURA_GRAPHQL_CORS_DOMAIN names it, and gets 400 otherwise", async () => {
    await using server = await serveFake({}, { HASURA_GRAPHQL_CORS_DOMAIN: "https://a.example" });
    expect(await upgrade(server.webSocketUrl, "https://a.example")).toBe(101);
    expect(await upgrade(server.webSocketUrl, "https://b.example")).toBe(400);
    expect(await upgrade(server.webSocketUrl, server.url)).toBe(101);
  });
});
