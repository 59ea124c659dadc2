import { request as rawRequest } from "node:http";
import { gunzipSync } from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import type { ExecuteOptions, GraphQLRequest, Session } from "../engine.ts";
import { busy, EngineError } from "../errors.ts";
import { adminSecret, serveFake } from "../lifecycle/testing/served-engine.ts";
import { goodClaims, hmacSecret, sign } from "../lifecycle/testing/tokens.ts";

const admin = { "x-hasura-admin-secret": adminSecret };

async function post(
  url: string,
  body: unknown,
  headers: Record<string, string> = admin,
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(url, {
    method: "POST",
    body: text,
    headers: { "content-type": "application/json", ...headers },
  });
  const answer = await response.text();
  return {
    status: response.status,
    body: answer === "" ? "" : (JSON.parse(answer) as unknown),
    headers: response.headers,
  };
}

const ask = ({ url }: { readonly url: string }, body: unknown, headers?: Record<string, string>) =>
  post(`${url}/v1/graphql`, body, headers);
const viewer = { ...admin, "x-hasura-role": "viewer" };

const notRequest = "parsing Hasura.GraphQL.Transport.HTTP.Protocol.GQLReq(GQLReq) failed";
const error = (code: string, message: string | RegExp, path = "$") => ({
  errors: [
    {
      message: typeof message === "string" ? message : (expect.stringMatching(message) as unknown),
      extensions: { path, code },
    },
  ],
});

describe("POST /v1/graphql", () => {
  test("forwards the engine's reply unchanged", async () => {
    const text = '{"data":{"big":12345678901234567890,  "spaced" : 1.50}}';
    await using server = await serveFake({ execute: () => Promise.resolve(text) });
    const response = await fetch(`${server.url}/v1/graphql`, {
      method: "POST",
      headers: admin,
      body: '{"query":"{ big }"}',
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/json; charset=utf-8");
    expect(await response.text()).toBe(text);
  });

  test("accepts a token and its role", async () => {
    await using server = await serveFake();
    const token = await sign(
      { ...goodClaims(), iat: Math.floor(Date.now() / 1000), nbf: undefined, exp: Math.floor(Date.now() / 1000) + 60 },
      "HS256",
      Buffer.from(hmacSecret),
    );
    const { body } = await ask(server, { query: "{ a }" }, { authorization: `Bearer ${token}` });
    expect(body).toEqual({ data: { role: "viewer", variables: null } });
  });

  test("passes on variables and the operation name", async () => {
    await using server = await serveFake();
    await ask(server, { query: "query A { a }", variables: { n: 1 }, operationName: "A", extensions: {} });
    expect(server.engine.calls.executed).toEqual([{ query: "query A { a }", variables: { n: 1 }, operationName: "A" }]);
  });

  test("keeps every digit of a number in the variables", async () => {
    await using server = await serveFake();
    await ask(server, '{"query":"query A($n: bigint) { a }","variables":{"n":12345678901234567890}}');
    expect(JSON.stringify(server.engine.calls.executed[0]?.variables)).toBe('{"n":12345678901234567890}');
  });

  test.each<[body: unknown, message: string, path?: string]>([
    ["{", "the request body is not valid JSON"],
    ["", "the request body is not valid JSON"],
    ['"{ a }"', `${notRequest}, expected Object, but encountered String`],
    ["null", `${notRequest}, expected Object, but encountered Null`],
    [{}, `${notRequest}, key "query" not found`],
    [{ query: 1 }, "parsing Text failed, expected String, but encountered Number", "query"],
    [{ query: "{ a }", variables: [] }, "parsing HashMap failed, expected Object, but encountered Array", "variables"],
    [
      '{"query":"{ a }","variables":12345678901234567890}',
      "parsing HashMap failed, expected Object, but encountered Number",
      "variables",
    ],
    [
      { query: "{ a }", operationName: 1 },
      "parsing Name failed, expected String, but encountered Number",
      "operationName",
    ],
    [{ query: "{ a }", operationName: "" }, " is not valid GraphQL name", "operationName"],
    [{ query: "{ a }", operationName: "a-b" }, "a-b is not valid GraphQL name", "operationName"],
  ])("answers 200 and an error for %j", async (body, message, path) => {
    await using server = await serveFake();
    const answer = await ask(server, body);
    expect(answer.status).toBe(200);
    const code = message.startsWith("the request body") ? "invalid-json" : "parse-failed";
    expect(answer.body).toEqual(error(code, message, path === undefined ? "$" : `$.${path}`));
    expect(server.engine.calls.executed).toHaveLength(0);
  });

  test("answers rejected credentials with 200 and never calls the engine", async () => {
    await using server = await serveFake();
    const answer = await ask(server, { query: "{ a }" }, { "x-hasura-admin-secret": "wrong" });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual(error("access-denied", 'invalid "x-hasura-admin-secret"/"x-hasura-access-key"'));
    expect(server.engine.calls.executed).toHaveLength(0);
  });

  test("shows the internal detail of an error only to admin", async () => {
    const failure = new EngineError({
      code: "unexpected",
      message: "database query error",
      internal: { statement: "SELECT 1" },
    });
    await using server = await serveFake({ execute: () => Promise.reject(failure) });
    const asAdmin = await ask(server, { query: "{ a }" });
    expect(JSON.stringify(asAdmin.body)).toContain("SELECT 1");
    const asViewer = await ask(server, { query: "{ a }" }, viewer);
    expect(asViewer.body).toEqual(error("unexpected", "database query error"));
  });

  test("shows no role, admin included, the connection error of the database", async () => {
    const internal = { error: "connect ECONNREFUSED 10.0.0.7:5432" };
    const failure = new EngineError({ code: "postgres-error", status: 503, message: "connection error", internal });
    await using server = await serveFake({ execute: () => Promise.reject(failure) });
    const answer = await ask(server, { query: "{ a }" });
    expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "1"]);
    expect(answer.body).toEqual(error("postgres-error", "connection error"));
    expect(server.log()).not.toContain("10.0.0.7");
  });

  test("shows it to no role or to every role, as configured", async () => {
    const failure = new EngineError({
      code: "unexpected",
      message: "database query error",
      internal: { statement: "SELECT 1" },
    });
    const execute = (): Promise<string> => Promise.reject(failure);
    await using silent = await serveFake({ execute }, { HASURA_GRAPHQL_ADMIN_INTERNAL_ERRORS: "false" });
    expect((await ask(silent, { query: "{ a }" })).body).toEqual(error("unexpected", "database query error"));
    await using open = await serveFake({ execute }, { HASURA_GRAPHQL_DEV_MODE: "true" });
    const asViewer = await ask(open, { query: "{ a }" }, viewer);
    expect(JSON.stringify(asViewer.body)).toContain("SELECT 1");
  });

  test("hides the message of an unexpected failure", async () => {
    await using server = await serveFake({ execute: () => Promise.reject(new Error("password=hunter2")) });
    const answer = await ask(server, { query: "{ a }" }, viewer);
    expect(answer.body).toEqual(error("unexpected", "internal error"));
    expect(server.log()).not.toContain("hunter2");
  });
});

describe("a client that accepts application/graphql-response+json", () => {
  const accept = "application/graphql-response+json, application/json;q=0.9";

  test.each<[string, object, Record<string, string>, number]>([
    ["an answer", { query: "{ a }" }, admin, 200],
    ["a query that does not validate", { query: "{ wrong }" }, admin, 400],
    ["a body without a query", {}, admin, 400],
    ["a wrong key", { query: "{ a }" }, { "x-hasura-admin-secret": "wrong" }, 401],
    ["a bad token", { query: "{ a }" }, { authorization: "Bearer a.b.c" }, 401],
    ["no credentials", { query: "{ a }" }, {}, 401],
  ])("gets the media type and the status of the specification for %s", async (_, body, credentials, status) => {
    const execute = async ({ query }: GraphQLRequest): Promise<string> => {
      if (query.includes("wrong")) throw new EngineError({ code: "validation-failed", message: "no such field" });
      return '{"data":{"a":1}}';
    };
    await using server = await serveFake({ execute });
    const response = await ask(server, body, { accept, ...credentials });
    expect([response.status, response.headers.get("content-type")]).toEqual([
      status,
      "application/graphql-response+json; charset=utf-8",
    ]);
    expect(response.headers.get("www-authenticate")).toBe(status === 401 ? "Bearer" : null);
  });
});

test.each([
  ["application/json", 400],
  ["*/*", 200],
])("a body that is not JSON, with Accept: %s, gets the status %i", async (accept, status) => {
  await using server = await serveFake();
  expect((await ask(server, "{", { ...admin, accept })).status).toBe(status);
});

test("a busy engine names the seconds after which a retry helps", async () => {
  const execute = () => Promise.reject(busy("wait", 10));
  await using server = await serveFake({ execute });
  const response = await ask(server, { query: "{ a }" }, admin);
  expect([response.status, response.headers.get("retry-after")]).toEqual([503, "10"]);
});

describe("a batch", () => {
  test("is answered in order, each with its own errors", async () => {
    const execute = ({ query, variables }: GraphQLRequest, { role }: Session) =>
      query === "{ fail }"
        ? Promise.reject(new EngineError({ code: "timeout", message: "too late" }))
        : Promise.resolve(JSON.stringify({ data: { role, variables } }));
    await using server = await serveFake({ execute });
    const answer = await ask(server, [
      { query: "{ a }", variables: { n: 1 } },
      { query: "{ fail }" },
      { query: "{ a }", variables: { n: 2 } },
    ]);
    expect(answer.body).toEqual([
      { data: { role: "admin", variables: { n: 1 } } },
      error("timeout", "too late"),
      { data: { role: "admin", variables: { n: 2 } } },
    ]);
  });

  test.each([
    ["{}", "$[1]"],
    ["5", "$[1]"],
    ['[{"query":"{ a }"}]', "$[1]"],
    ['{"query":1}', "$[1].query"],
  ])("one malformed request (%s) rejects the batch, and nothing of it runs", async (element, path) => {
    const execute = vi.fn<() => Promise<string>>();
    await using server = await serveFake({ execute });
    const answer = await ask(server, `[{"query":"{ a }"},${element}]`);
    expect(answer.body).toMatchObject({ errors: [{ extensions: { code: "parse-failed", path } }] });
    expect(execute).not.toHaveBeenCalled();
  });

  test("may be empty, and has a size limit", async () => {
    await using server = await serveFake({}, { ENGINE_BATCH_LIMIT: "2" });
    expect((await ask(server, [])).body).toEqual([]);
    const answer = await ask(server, [{}, {}, {}]);
    expect(answer.body).toEqual(error("bad-request", "a batch may hold at most 2 requests"));
  });
});

describe("POST /v1alpha1/graphql", () => {
  test.each<[string, unknown, Record<string, string>, number]>([
    ["a good query", { query: "{ a }" }, admin, 200],
    ["a wrong secret", { query: "{ a }" }, { "x-hasura-admin-secret": "wrong" }, 401],
    ["no token", { query: "{ a }" }, {}, 400],
    ["a broken body", "{", admin, 400],
    ["a failure of the database", { query: "{ fail }" }, admin, 500],
  ])("keeps the status of %s", async (_title, body, headers, status) => {
    await using server = await serveFake({
      execute: ({ query }) =>
        query.includes("fail")
          ? Promise.reject(new EngineError({ code: "unexpected", message: "database query error" }))
          : Promise.resolve("{}"),
    });
    expect((await post(`${server.url}/v1alpha1/graphql`, body, headers)).status).toBe(status);
  });
});

describe("bodies", () => {
  test("over the limit are rejected with 413, declared or chunked", async () => {
    await using server = await serveFake({}, { ENGINE_BODY_LIMIT: "2048" });
    const large = JSON.stringify({ query: `{ ${"a".repeat(4_096)} }` });
    expect((await ask(server, large)).status).toBe(413);
    const status = await new Promise((resolve, reject) => {
      const request = rawRequest(
        `${server.url}/v1/graphql`,
        { method: "POST", headers: { ...admin, "transfer-encoding": "chunked" } },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      );
      request.on("error", reject);
      request.end(large);
    });
    expect(status).toBe(413);
    expect(server.engine.calls.executed).toHaveLength(0);
  });

  test("at the limit are accepted", async () => {
    await using server = await serveFake({}, { ENGINE_BODY_LIMIT: "2048" });
    const empty = JSON.stringify({ query: "" });
    const exact = JSON.stringify({ query: "a".repeat(2_048 - empty.length) });
    expect((await ask(server, exact)).status).toBe(200);
  });

  test("that are compressed are rejected with 415", async () => {
    await using server = await serveFake();
    expect((await ask(server, "x", { ...admin, "content-encoding": "gzip" })).status).toBe(415);
  });
});

describe("compression", () => {
  const long = JSON.stringify({ data: "x".repeat(5_000) });
  const ask = async (acceptEncoding: string, text = long): Promise<{ encoding: string | undefined; text: string }> => {
    await using server = await serveFake({ execute: () => Promise.resolve(text) });
    return await new Promise((resolve, reject) => {
      const headers = { ...admin, "accept-encoding": acceptEncoding };
      const request = rawRequest(`${server.url}/v1/graphql`, { method: "POST", headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on("data", (chunk: Buffer) => chunks.push(chunk));
        response.on("end", () => {
          const body = Buffer.concat(chunks);
          const encoding = response.headers["content-encoding"];
          resolve({ encoding, text: (encoding === "gzip" ? gunzipSync(body) : body).toString() });
        });
      });
      request.on("error", reject);
      request.end('{"query":"{ a }"}');
    });
  };

  test.each(["gzip", "br, gzip", "deflate, gzip;q=0.5, *;q=0", "gzip ; q=1.0", "*"])(
    "%s gets gzip",
    async (accepted) => {
      expect(await ask(accepted)).toEqual({ encoding: "gzip", text: long });
    },
  );

  test.each(["", "identity", "br", "gzip;q=0", "gzip; q=0.0", "x-gzip-not"])("%j gets none", async (accepted) => {
    expect(await ask(accepted)).toEqual({ encoding: undefined, text: long });
  });

  test("does not compress small replies", async () => {
    expect(await ask("gzip", '{"data":{}}')).toEqual({ encoding: undefined, text: '{"data":{}}' });
  });
});

describe("other paths", () => {
  test.each([
    ["GET", "/"],
    ["GET", "/console"],
    ["PUT", "/v1/graphql"],
    ["GET", "/v1/metadata"],
    ["POST", "/v2/query"],
    ["GET", "/metrics"],
    ["GET", "/v1/graphql/"],
    ["POST", "//v1/graphql"],
  ])("%s %s is not found", async (method, path) => {
    await using server = await serveFake();
    const response = await fetch(server.url + path, { method, headers: admin });
    expect(response.status).toBe(404);
    expect(await response.json()).toEqual({ path: "$", error: "resource does not exist", code: "not-found" });
  });

  test("/v1/version needs no credentials", async () => {
    await using server = await serveFake();
    const response = await fetch(`${server.url}/v1/version`);
    expect(await response.json()).toEqual({
      version: expect.stringMatching(/^v2\.48\.0-routeql\./) as unknown,
      server_type: "ce",
    });
  });
});

describe("x-request-id", () => {
  test("is echoed if it is safe, else generated", async () => {
    await using server = await serveFake();
    const ask = async (id?: string): Promise<string | null> =>
      (
        await fetch(`${server.url}/v1/version`, { headers: id === undefined ? {} : { "x-request-id": id } })
      ).headers.get("x-request-id");
    expect(await ask("abc-123:4.5_6")).toBe("abc-123:4.5_6");
    for (const bad of [undefined, "a b", "x".repeat(129), 'a"b', "<script>"])
      expect(await ask(bad)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe("GET /healthz", () => {
  const inconsistency = {
    file: "f",
    path: "p",
    reason: "r",
    kind: "inconsistent",
    at: [],
    type: "table",
    name: "t",
    definition: {},
  } as const;

  test.each<[string, Parameters<typeof serveFake>[0], string, number, string]>([
    ["all well", {}, "/healthz", 200, "OK"],
    ["all well", {}, "/hasura/healthz", 200, "OK"],
    ["all well", {}, "/healthz?strict=true", 200, "OK"],
    ["inconsistent", { inconsistencies: [inconsistency] }, "/healthz", 200, "WARN: inconsistent objects in schema"],
    [
      "inconsistent",
      { inconsistencies: [inconsistency] },
      "/healthz?strict=true",
      500,
      "ERROR: inconsistent objects in schema",
    ],
    ["no database", { ping: () => Promise.reject(new Error("ECONNREFUSED")) }, "/healthz", 500, "ERROR"],
    ["no database", { ping: () => Promise.reject(new Error("ECONNREFUSED")) }, "/healthz?strict=true", 500, "ERROR"],
  ])("with %s, %s", async (_title, behaviour, path, status, text) => {
    await using server = await serveFake(behaviour);
    const response = await fetch(server.url + path);
    expect([response.status, await response.text()]).toEqual([status, text]);
  });
});

describe("overload and disconnects", () => {
  test("answers 503 immediately when all places are taken, and releases places", async () => {
    const release = Promise.withResolvers<string>();
    const entered = Promise.withResolvers<void>();
    await using server = await serveFake(
      {
        execute: ({ query }) => {
          if (query !== "{ slow }") return Promise.resolve("{}");
          entered.resolve();
          return release.promise;
        },
      },
      { ENGINE_MAX_IN_FLIGHT: "1" },
    );
    const slow = ask(server, { query: "{ slow }" });
    await entered.promise;
    const refused = await ask(server, { query: "{ a }" });
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe("1");
    expect(refused.body).toEqual(error("busy", "the server is busy, try again later"));
    release.resolve('{"data":{}}');
    expect((await slow).status).toBe(200);
    expect((await ask(server, { query: "{ a }" })).status).toBe(200);
  });

  test("a client that disconnects aborts its statement", async () => {
    const started = Promise.withResolvers<void>();
    const aborted = Promise.withResolvers<unknown>();
    await using server = await serveFake({
      execute: (_request, _session, { signal }) => {
        started.resolve();
        return new Promise((_resolve, reject) => {
          signal?.addEventListener("abort", () => {
            aborted.resolve(signal.reason);
            reject(signal.reason);
          });
        });
      },
    });
    const client = new AbortController();
    const request = fetch(`${server.url}/v1/graphql`, {
      method: "POST",
      headers: admin,
      body: '{"query":"{ a }"}',
      signal: client.signal,
    });
    await started.promise;
    client.abort();
    await expect(request).rejects.toThrow("abort");
    expect(await aborted.promise).toMatchObject({ name: "ClientLeft" });
  });

  test("does not abort an answered request", async () => {
    let signal: ExecuteOptions["signal"];
    await using server = await serveFake({
      execute: (_request, _session, options) => {
        signal = options.signal;
        return Promise.resolve("{}");
      },
    });
    await ask(server, { query: "{ a }" });
    await ask(server, { query: "{ b }" });
    expect(signal?.aborted).toBe(false);
  });
});

describe("a persisted query", () => {
  const refused = error("not-supported", "PersistedQueryNotSupported");

  test("is rejected with the message that makes clients send the query itself", async () => {
    await using server = await serveFake();
    const hash = { extensions: { persistedQuery: { version: 1, sha256Hash: "0" } } };
    expect(await ask(server, hash)).toMatchObject({ status: 200, body: refused });
    expect((await ask(server, { ...hash, query: "{ a }" })).body).toHaveProperty("data");
  });

  test("is the meaning of GET, after the credentials", async () => {
    await using server = await serveFake();
    const address = `${server.url}/v1/graphql?operationName=A&extensions=%7B%7D`;
    const answer = await fetch(address, { headers: admin });
    expect([answer.status, await answer.json()]).toEqual([200, refused]);
    expect(await (await fetch(address, { headers: { "x-hasura-admin-secret": "wrong" } })).json()).toMatchObject({
      errors: [{ extensions: { code: "access-denied" } }],
    });
    expect((await fetch(`${server.url}/v1alpha1/graphql`, { headers: admin })).status).toBe(404);
  });
});

describe("POST /v1/graphql/explain", () => {
  test("requires role admin", async () => {
    await using server = await serveFake();
    const body = { query: { query: "{ a }" }, user: { "X-Hasura-Role": "viewer" } };
    const answer = await post(`${server.url}/v1/graphql/explain`, body);
    expect((await post(`${server.url}/v1alpha1/graphql/explain`, body)).body).toEqual(answer.body);
    expect(answer.body).toEqual([{ field: "updates", sql: "SELECT 1 -- { a }", plan: ["Result"] }]);
    const refused = await post(`${server.url}/v1/graphql/explain`, body, viewer);
    expect([refused.status, refused.body]).toEqual([
      400,
      { path: "$", error: "restricted access: admin only", code: "access-denied" },
    ]);
  });
});

test("a disabled API is not found", async () => {
  await using server = await serveFake({}, { HASURA_GRAPHQL_ENABLED_APIS: "," });
  for (const path of ["/v1/graphql", "/v1/metadata"]) {
    const { status, body } = await post(`${server.url}${path}`, { query: "{ a }" });
    expect([status, body]).toEqual([404, { path: "$", error: "resource does not exist", code: "not-found" }]);
  }
  expect((await fetch(`${server.url}/v1alpha1/config`, { headers: admin })).status).toBe(404);
});

test("logs no secret of the client", async () => {
  await using server = await serveFake({
    execute: () => Promise.reject(new EngineError({ code: "validation-failed", message: "variable-value" })),
  });
  const token = await sign(goodClaims(), "HS256", Buffer.from(hmacSecret));
  const body = { query: '{ a(where: {b: "literal-value"}) }', variables: { n: "variable-value" } };
  await ask(server, body, { authorization: `Bearer ${token}` });
  await ask(server, body);
  await ask(server, body, { "x-hasura-admin-secret": "almost-the-secret" });
  expect(server.log()).toContain("request answered");
  for (const secret of [token, adminSecret, hmacSecret, "almost-the-secret", "literal-value", "variable-value"]) {
    expect(server.log()).not.toContain(secret);
  }
});

test.each([
  ["false", 200],
  ["true", 401],
])("with HASURA_GRAPHQL_PRESERVE_401_ERRORS=%s a wrong secret gets %i, and other errors 200", async (value, status) => {
  await using server = await serveFake({}, { HASURA_GRAPHQL_PRESERVE_401_ERRORS: value });
  const wrong = await ask(server, { query: "{ a }" }, { "x-hasura-admin-secret": "wrong" });
  expect([wrong.status, wrong.body]).toMatchObject([status, { errors: [{ extensions: { code: "access-denied" } }] }]);
  expect((await ask(server, { query: "syntax error mutation" })).status).toBe(200);
});
