import { afterAll, beforeAll, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { raw } from "./support/raw.ts";
import { query, type Reply, request } from "./support/request.ts";
import { startGatewayParts, type GatewayParts } from "./support/gateway-parts.ts";

let parts: GatewayParts;
beforeAll(async () => void (parts = await startGatewayParts()));
afterAll(() => parts?.[Symbol.asyncDispose]());

const idOf = (reply: Reply): string => String(reply.headers["x-request-id"]);

test("logs each request as one JSON object", async () => {
  await parts.engine.answer();
  const reply = await query(parts.gateway);
  const { access } = await parts.gateway.log(idOf(reply));
  const entry = access.find((line) => line["request_id"] === reply.headers["x-request-id"]);
  expect(entry).toEqual({
    time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) as string,
    request_id: reply.headers["x-request-id"],
    trace_id: reply.headers["x-request-id"],
    client: expect.stringMatching(/^[\d.]+$/) as string,
    port: "8443",
    protocol: "HTTP/1.1",
    tls: "TLSv1.3",
    method: "POST",
    path: "/api/graphql",
    status: 200,
    request_bytes: expect.any(Number) as number,
    reply_bytes: expect.any(Number) as number,
    seconds: expect.any(Number) as number,
    upstream: expect.stringMatching(/^[\d.]+:8080$/) as string,
    upstream_status: "200",
    upstream_seconds: expect.stringMatching(/^[\d.]+$/) as string,
    graphql_errors: "",
  });
});

test("logs the codes of GraphQL errors, and removes their header", async () => {
  for (const [header, logged] of [
    ["timeout,validation-failed", "timeout,validation-failed"],
    ["busy:wait", "busy:wait"],
    ['odd"\xe9', ""],
  ] as const) {
    await parts.engine.answer({ "/v1/graphql": { headers: { "x-graphql-errors": header } } });
    const reply = await query(parts.gateway);
    expect(reply.headers).not.toHaveProperty("x-graphql-errors");
    const { access } = await parts.gateway.log(idOf(reply));
    expect(access.find((line) => line["request_id"] === idOf(reply))).toMatchObject({
      status: 200,
      graphql_errors: logged,
    });
  }
  await parts.engine.answer({ "/v1/graphql": { hangUp: true } });
  const unanswered = idOf(await query(parts.gateway));
  const { access } = await parts.gateway.log(unanswered);
  expect(access.find((line) => line["request_id"] === unanswered)).toMatchObject({
    status: 503,
    graphql_errors: "unavailable:upstream",
  });
  await parts.engine.answer();
});

test("logs a rejected request with its method and path", async () => {
  const reply = await request(parts.gateway, "/api/graphql?a=b", { method: "PUT" });
  const { access } = await parts.gateway.log(idOf(reply));
  expect(access.find((line) => line["request_id"] === reply.headers["x-request-id"])).toMatchObject({
    method: "PUT",
    path: "/api/graphql",
    status: 405,
  });
});

test("logs a path with invalid text as JSON up to the first such byte", async () => {
  for (const bytes of ["\xff\xfe", "\xc2\x9b31m", "\xe9?a=b", "\xf0\x9f"])
    expect(await raw(parts.gateway, `GET /odd${bytes} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)).toContain(
      " 404 ",
    );
  const { access, text } = await parts.gateway.log(idOf(await query(parts.gateway)));
  expect(access.filter((line) => line["path"] === "/odd")).toHaveLength(4);
  expect(text).toMatch(/^[\n -~]*$/);
});

test("logs no secret of a request, in any place and for any failure", async () => {
  const secret = "VerySecretValue";
  const headers = {
    authorization: `Bearer ${secret}`,
    "x-engine-access-key": secret,
    cookie: `sid=${secret}`,
    "x-service-api-key": secret,
    referer: secret,
    "user-agent": secret,
  };
  const everywhere = {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: `{"password":"${secret}"}`,
  };
  const target = `?access_token=${secret}`;
  for (const answer of [{}, { hangUp: true }]) {
    await Promise.all([
      parts.engine.answer({ "/v1/graphql": answer }),
      parts.sidecar.answer({ [paths.token]: answer }),
    ]);
    await request(parts.gateway, `${paths.graphql}${target}`, everywhere);
    await request(parts.gateway, `${paths.token}${target}`, everywhere);
    await request(parts.gateway, `/nothing${target}`, everywhere);
    await request(parts.gateway, `/${target}`, { listener: "redirect" });
    await request(parts.gateway, `/healthz${target}`, { headers });
  }
  for (const line of [
    `POST /?${secret} HTTP/1.1`,
    `POST / HTTP/1.1\r\nAuthorization : Bearer ${secret}`,
    `POST / HTTP/1.1\r\nX-${secret}\x00: a`,
  ]) {
    await raw(parts.gateway, `${line}\r\nContent-Length: a\r\n\r\n`);
  }
  await raw(parts.gateway, `GET /?${secret} HTTP/1.1\r\nHost: a\r\n\r\n`, { plain: true });
  await parts.engine.stop();
  const last = await request(parts.gateway, `${paths.graphql}${target}`, everywhere);
  const { access, text } = await parts.gateway.log(idOf(last));
  expect(access.length).toBeGreaterThan(12);
  expect(text).not.toContain(secret);
});

test("does not log the container's own health check", async () => {
  const { exitCode } = await parts.gateway.exec(["healthy"]);
  expect(exitCode).toBe(0);
  const { access } = await parts.gateway.log(idOf(await query(parts.gateway)));
  expect(access.filter((line) => line["client"] === "127.0.0.1")).toEqual([]);
});
