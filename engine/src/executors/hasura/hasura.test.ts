import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getIntrospectionQuery } from "graphql";
import { describe, expect, test, vi } from "vitest";
import { adminSecret } from "../../lifecycle/testing/served-engine.ts";
import { SocketClient } from "../../lifecycle/testing/socket-client.ts";
import { goodClaims, hmacSecret, sign } from "../../lifecycle/testing/tokens.ts";
import { busy } from "../../errors.ts";
import { serveBeforeFake } from "../../lifecycle/testing/fake-hasura.ts";
import { outageOf } from "./upstream.ts";

const data = '{"data":{"a" : [1.50, "é"]}}';

const metadataWithLists = JSON.stringify({
  version: 3,
  sources: [{ name: "default", kind: "postgres", tables: [{ table: "a", array_relationships: [{ name: "links" }] }] }],
});

const nested = (depth: number, inner: unknown): unknown => (depth === 0 ? inner : { _and: [nested(depth - 1, inner)] });

function token(): Promise<string> {
  const now = Math.floor(Date.now() / 1_000);
  return sign({ ...goodClaims(), iat: now, nbf: now, exp: now + 900 }, "HS256", new TextEncoder().encode(hmacSecret));
}

async function post(url: string, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${url}/v1/graphql`, { method: "POST", body: JSON.stringify(body), headers });
}

const admin = { "x-hasura-admin-secret": adminSecret };

/** The answer to an administrator. */
const textOf = async ({ url }: { readonly url: string }, query: string, variables?: unknown): Promise<string> =>
  (await post(url, { query, variables }, admin)).text();

async function connect(url: string, protocol = "graphql-transport-ws"): Promise<SocketClient> {
  const client = await new SocketClient(url, protocol).opened();
  client.send({ type: "connection_init", payload: { headers: { authorization: `Bearer ${await token()}` } } });
  expect(await client.next()).toEqual({ type: "connection_ack" });
  return client;
}

describe("a query", () => {
  test("arrives with the session of the token, and the answer returns byte for byte", async () => {
    await using front = await serveBeforeFake(() => data);
    const response = await post(
      front.url,
      { query: "query q($a: Int) { a(x: $a) }", variables: { a: 1 } },
      { authorization: `Bearer ${await token()}`, "x-hasura-org-id": "forged" },
    );
    expect(await response.text()).toBe(data);
    const [{ headers, body } = expect.unreachable()] = front.asked;
    expect(body).toEqual({ query: "query q($a: Int) { a(x: $a) }", variables: { a: 1 } });
    expect(headers).toMatchObject({ "x-hasura-admin-secret": adminSecret, "x-hasura-role": "viewer" });
    expect(headers["x-hasura-org-id"]).not.toBe("forged");
    expect(headers.authorization).toBeUndefined();
  });

  test("returns an error of Hasura as Hasura wrote it, with its code for the log", async () => {
    const reply = '{"errors": [{"message":"no","extensions":{"path":"$.a","code":"validation-failed"}}]}';
    await using front = await serveBeforeFake(() => reply.replace('": [', '":['));
    const response = await post(front.url, { query: "{ a }" }, admin);
    expect(response.status).toBe(200);
    expect(response.headers.get("x-graphql-errors")).toBe("validation-failed");
    expect(await response.text()).toBe(reply.replace('": [', '":['));
  });

  const failing = (code: string, message: string) =>
    `{"errors":[{"message":"${message}","extensions":{"path":"$","code":"${code}"}}]}`;

  test.each([
    ["a connection error", failing("postgres-error", "connection error"), 200, 503, "postgres-error:database"],
    ["an error while it is unhealthy", failing("unexpected", "database query error"), 500, 503, "unexpected:database"],
    ["an error while it is healthy", failing("unexpected", "database query error"), 200, 200, "unexpected"],
  ])("returns %s of Hasura with the status that fits", async (_name, reply, health, status, codes) => {
    await using front = await serveBeforeFake(() => reply);
    front.health.status = health;
    const response = await post(front.url, { query: "{ a }" }, admin);
    expect(response.status).toBe(status);
    expect(response.headers.get("x-graphql-errors")).toBe(codes);
    expect(response.headers.get("retry-after")).toBe(status === 503 ? "1" : null);
    expect(await response.text()).toBe(reply);
    expect((await (await fetch(front.metricsUrl)).text()).includes('unavailable_total{reason="database"} 1')).toBe(
      status === 503,
    );
  });

  test.each([
    ["database", { code: "postgres-error", reason: "database", status: 503, retryAfter: 10 }],
    ["upstream", { code: "unexpected", reason: "upstream", status: 503 }],
    [undefined, { code: "busy", reason: "wait", retryAfter: 10 }],
  ] as const)("that waits in vain names the cause %s", async (cause, error) => {
    expect(await outageOf(busy("wait", 10), { cause: () => Promise.resolve(cause) })).toMatchObject(error);
  });

  test.each([
    ["deep", `{ ${"a { ".repeat(21)} b ${"}".repeat(21)} }`, "nested deeper than the limit of 20"],
    ["broad", `{ ${"...f ".repeat(40)} } fragment f on q { ${"a ".repeat(40)} }`, "more fields than the limit of 1000"],
    ["wide", `{ ${"a { b } ".repeat(201)} }`, "more tables and subqueries than the limit of 200"],
    ["curious", `{ __schema { types { ${"name ".repeat(241)} } } }`, "introspection selects more fields"],
  ])("too %s does not reach Hasura", async (_name, query, message) => {
    await using front = await serveBeforeFake(() => data);
    expect(await textOf(front, query)).toContain(message);
    expect(front.asked).toEqual([]);
  });

  test("may introspect deeper than the limit, and spread fragments without depth", async () => {
    await using front = await serveBeforeFake(() => data, { ENGINE_MAX_DEPTH: "3" });
    const ask = (query: string) => textOf(front, query);
    expect(await ask(getIntrospectionQuery())).toBe(data);
    expect(await ask("{ a { ...f } } fragment f on a { b { ... on b { c } } }")).toBe(data);
    expect(await ask("{ a { ...f } } fragment f on a { b { c { d } } }")).toContain(
      "nested deeper than the limit of 3",
    );
  });

  test("with too many values in its variables does not reach Hasura", async () => {
    await using front = await serveBeforeFake(() => data);
    const request = {
      query: "query($w: w) { a(where: $w) { b } c(where: $w) { b } }",
      variables: { w: { key: { _in: Array.from({ length: 30_000 }, () => 1) } } },
    };
    expect(await textOf(front, request.query, request.variables)).toContain("more values in its arguments");
    expect(front.asked).toEqual([]);
  });

  test.each([
    [
      "the default of a variable used twice",
      `query($w: w = {b: {_in: [${"1 ".repeat(5_000)}]}}) {${" a(where: $w) { b }".repeat(11)} }`,
      {},
    ],
    ["conditions in each other", "query($w: w) { a(where: $w) { b } }", { w: nested(100, { b: { _eq: 1 } }) }],
    ["lists in each other", `{ a ${"{ links ".repeat(6)} { b } ${"}".repeat(6)} }`, {}],
  ])("with %s does not reach Hasura", async (_name, query, variables) => {
    const metadata = mkdtempSync(join(tmpdir(), "front-"));
    writeFileSync(join(metadata, "metadata.json"), metadataWithLists);
    await using front = await serveBeforeFake(() => data, {
      ENGINE_METADATA_DIRECTORY: join(metadata, "metadata.json"),
    });
    expect(await textOf(front, query, variables)).toMatch(
      /more values in its arguments|nested too deeply|nests more lists/,
    );
    expect(front.asked).toEqual([]);
    rmSync(metadata, { recursive: true });
  });

  test("names a long variable in as many places as the embedded engine allows", async () => {
    await using front = await serveBeforeFake(() => data);
    const ask = (places: number) => {
      const query = `query($v: t) { a(where: {_or: [${"{b: {_eq: $v}} ".repeat(places)}]}) { b } }`;
      return textOf(front, query, { v: "x".repeat(2_000) });
    };
    expect(await ask(1_000)).toBe(data);
    expect(await ask(1_001)).toContain("more characters than the limit of 2000000");
  });

  test("with related rows in its conditions counts their tables", async () => {
    await using front = await serveBeforeFake(() => data, { ENGINE_MAX_RELATIONS: "4" });
    const ask = (condition: string) => textOf(front, `{ a(where: ${condition}) { b } }`);
    expect(await ask("{_and: [{one: {two: {b: {_eq: 1}}}}, {b: {_in: [1]}}]}")).toBe(data);
    expect(await ask("{one: {two: {three: {four: {b: {_eq: 1}}}}}}")).toContain("more tables and subqueries");
  });

  test.each([100_000, 4_000_000])("streams an answer of %i bytes to HTTP, a batch and a WebSocket", async (length) => {
    const long = `{"data":"${"é".repeat(length / 2)}"}`;
    await using front = await serveBeforeFake(() => long);
    const headers = { authorization: `Bearer ${await token()}` };
    expect(await (await post(front.url, { query: "{ a }" }, headers)).text()).toBe(long);
    const response = await post(front.url, { query: "{ a }" }, { ...headers, "accept-encoding": "identity" });
    expect(response.headers.get("content-length")).toBe(String(Buffer.byteLength(long)));
    expect(await response.text()).toBe(long);
    expect(await (await post(front.url, [{ query: "{ a }" }, { query: "{ a }" }], headers)).text()).toBe(
      `[${long},${long}]`,
    );
    const client = await connect(front.webSocketUrl);
    client.send({ type: "subscribe", id: "1", payload: { query: "{ a }" } });
    expect(await client.next()).toEqual({ type: "next", id: "1", payload: JSON.parse(long) as unknown });
    client.socket.terminate();
  });

  test("whose Hasura breaks off in a long answer ends its connection, and the next one is answered", async () => {
    const headers = { ...admin, "accept-encoding": "identity" };
    await using front = await serveBeforeFake(({ body }) => (body.query === "{ a }" ? data : "break off"));
    const broken = await post(front.url, { query: "{ long }" }, headers);
    expect(broken.status).toBe(200);
    await expect(broken.text()).rejects.toThrow("terminated");
    expect(await (await post(front.url, { query: "{ a }" }, headers)).text()).toBe(data);
  });

  test("that is too large is an error, and the next one is answered", async () => {
    await using front = await serveBeforeFake(({ body }) => (body.query === "{ big }" ? "x".repeat(10_000) : data), {
      ENGINE_MAX_ANSWER_BYTES: "5000",
    });
    expect(await textOf(front, "{ big }")).toContain("larger than the limit");
    expect(await textOf(front, "{ a }")).toBe(data);
  });

  test("that is a mutation is sent once, also when its connection breaks", async () => {
    await using front = await serveBeforeFake(({ body }) =>
      body.query.includes("lost") ? Promise.reject(new Error("the connection ends")) : data,
    );
    expect(await textOf(front, "mutation { a }")).toBe(data);
    expect((await post(front.url, { query: "mutation { lost }" }, admin)).status).toBe(503);
    expect(front.asked.map(({ body }) => body.query)).toEqual(["mutation { a }", "mutation { lost }"]);
  });

  test("that is a mutation does not reach Hasura with ENGINE_MUTATIONS=false", async () => {
    await using front = await serveBeforeFake(() => data, { ENGINE_MUTATIONS: "false" });
    expect(await textOf(front, "mutation { a }")).toContain("no mutations exist");
    expect(front.asked).toEqual([]);
  });

  test("leaves a connection in time, before a stopping Hasura cuts it", async () => {
    await using front = await serveBeforeFake(() => data);
    const start = performance.now();
    for (const seconds of [0, 1, 6]) {
      vi.spyOn(performance, "now").mockReturnValue(start + seconds * 1000);
      await textOf(front, "{ a }");
    }
    const [first, second, third] = front.asked.map(({ port }) => port);
    expect([second === first, third === first]).toEqual([true, false]);
  });

  test("is answered 503 while Hasura does not answer", async () => {
    await using front = await serveBeforeFake(() => Promise.reject(new Error("the connection ends")));
    const response = await post(front.url, { query: "{ a }" }, admin);
    expect([response.status, response.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(await response.text()).toContain("the engine does not answer");
  });
});

test("a Hasura that is not healthy shows in the front's health check and metrics", async () => {
  await using front = await serveBeforeFake(() => data);
  const seen = async () => {
    const metrics = await (await fetch(front.metricsUrl)).text();
    return [(await fetch(`${front.url}/healthz`)).status, /^routeql_engine_executor_up (\d)$/m.exec(metrics)?.[1]];
  };
  expect(await seen()).toEqual([200, "1"]);
  front.health.status = 500;
  expect(await seen()).toEqual([500, "0"]);
});

test("an unknown document of one client leaves places for the known ones of others", async () => {
  const held = Promise.withResolvers<string>();
  await using front = await serveBeforeFake(({ body }) => (body.query.includes("slow") ? held.promise : data), {
    ENGINE_POOL_SIZE: "4",
  });
  const headers = { authorization: `Bearer ${await token()}` };
  expect(await (await post(front.url, { query: "{ quick }" }, headers)).text()).toBe(data);
  const slow = Array.from({ length: 10 }, (_item, index) => post(front.url, { query: `{ slow${index} }` }, headers));
  await vi.waitFor(() => expect(front.asked.length).toBeGreaterThan(1), 20_000);
  expect(await (await post(front.url, { query: "{ quick }" }, headers)).text()).toBe(data);
  expect(front.asked.filter(({ body }) => body.query.includes("slow"))).toHaveLength(1);
  held.resolve(data);
  for (const response of await Promise.all(slow)) expect(await response.text()).toBe(data);
});

describe.each(["graphql-transport-ws", "graphql-ws"])("a live query over %s", (protocol) => {
  const [start, next] = protocol === "graphql-ws" ? ["start", "data"] : ["subscribe", "next"];

  test("gets Hasura's answers, and ends when its client stops it", async () => {
    await using front = await serveBeforeFake(() => data);
    const client = await connect(front.webSocketUrl, protocol);
    client.send({ type: start, id: "mine", payload: { query: "subscription { a }" } });
    expect(await client.next()).toEqual({ type: next, id: "mine", payload: JSON.parse(data) as unknown });
    const [init] = front.frames;
    expect(init).toMatchObject({ type: "connection_init", payload: { headers: { "x-hasura-role": "viewer" } } });
    client.send({ type: protocol === "graphql-ws" ? "stop" : "complete", id: "mine" });
    await vi.waitFor(() => expect(front.frames.at(-1)).toMatchObject({ type: "complete" }), 20_000);
    client.socket.terminate();
  });

  test("closes its connection with 1012 when Hasura restarts", async () => {
    await using front = await serveBeforeFake(() => data);
    const client = await connect(front.webSocketUrl, protocol);
    client.send({ type: start, id: "1", payload: { query: "subscription { a }" } });
    await client.next();
    front.restart();
    expect(await client.closed).toMatchObject({ code: 1012 });
  });

  test("that Hasura refuses returns its error", async () => {
    const error = '[{"message":"no such field","extensions":{"path":"$.selectionSet.a","code":"validation-failed"}}]';
    await using front = await serveBeforeFake(() => error);
    const client = await connect(front.webSocketUrl, protocol);
    client.send({ type: start, id: "1", payload: { query: "subscription { a }" } });
    expect(JSON.stringify(await client.next())).toContain("no such field");
    client.socket.terminate();
  });
});

test("a hundred clients that start one document at once are all served", async () => {
  await using front = await serveBeforeFake(() => data, { ENGINE_POOL_SIZE: "1" });
  const client = await connect(front.webSocketUrl);
  for (let id = 0; id < 100; id += 1)
    client.send({ type: "subscribe", id: String(id), payload: { query: "subscription { a }" } });
  for (let id = 0; id < 100; id += 1) expect(await client.next()).toMatchObject({ type: "next" });
  client.socket.terminate();
});

test("subscribers of one session share one socket to Hasura", async () => {
  await using front = await serveBeforeFake(() => data);
  const bearer = await token();
  const clients: SocketClient[] = [];
  for (const id of ["1", "2", "3"]) {
    const client = await new SocketClient(front.webSocketUrl, "graphql-transport-ws").opened();
    client.send({ type: "connection_init", payload: { headers: { authorization: `Bearer ${bearer}` } } });
    await client.next();
    client.send({ type: "subscribe", id, payload: { query: "subscription { a }" } });
    expect(await client.next()).toMatchObject({ type: "next" });
    clients.push(client);
  }
  expect(front.frames.filter(({ type }) => type === "connection_init")).toHaveLength(1);
  for (const client of clients) client.socket.terminate();
});

describe("the metadata API", () => {
  const command = { type: "export_metadata", args: {} };
  const send = (url: string, headers: Record<string, string>) =>
    fetch(`${url}/v1/metadata`, { method: "POST", body: JSON.stringify(command), headers });
  const environment = {
    HASURA_GRAPHQL_ENABLED_APIS: "graphql,metadata",
    ENGINE_UPSTREAM: "http://hasura:8080",
    ENGINE_UPSTREAM_SECRET: "the key of the front",
  };

  test("forwards a command of a client with the access key, with the front's key", async () => {
    await using front = await serveBeforeFake(() => '{"version" : 3}', environment);
    const response = await send(front.url, admin);
    expect([response.status, await response.text()]).toEqual([200, '{"version" : 3}']);
    const [{ headers, body } = expect.unreachable()] = front.asked;
    expect(body).toEqual(command);
    expect(headers["x-hasura-admin-secret"]).toBe("the key of the front");
  });

  test.each<[string, Record<string, string>]>([
    ["a wrong key", { "x-hasura-admin-secret": "wrong" }],
    ["another role", { "x-hasura-admin-secret": adminSecret, "x-hasura-role": "viewer" }],
    ["nothing", {}],
  ])("refuses %s itself", async (_name, headers) => {
    await using front = await serveBeforeFake(() => "{}", environment);
    const response = await send(front.url, headers);
    expect(response.status).not.toBe(200);
    expect(await response.text()).toMatch(/"code":"(?:access-denied|invalid-headers)"/);
    expect(front.asked).toEqual([]);
  });

  test("refuses a token", async () => {
    await using front = await serveBeforeFake(() => "{}", environment);
    const response = await send(front.url, { authorization: `Bearer ${await token()}` });
    expect([response.status, front.asked]).toEqual([400, []]);
  });

  test("does not exist unless a setting opens it", async () => {
    await using front = await serveBeforeFake(() => "{}", { HASURA_GRAPHQL_ENABLED_APIS: "graphql" });
    expect((await send(front.url, admin)).status).toBe(404);
    expect(front.asked).toEqual([]);
  });
});
