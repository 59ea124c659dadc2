import { randomBytes } from "node:crypto";
import { beforeAll, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { type Account, makeAccount } from "../e2e/support/accounts.ts";
import { call } from "../e2e/support/http.ts";
import { logout, serviceKey, session, sessionHeaders } from "../e2e/support/sessions.ts";
import { stack } from "../e2e/support/stack.ts";
import { statuses } from "../harness/exchange.ts";
import { type Attack, attacks, notRefused } from "./support/attack.ts";
import { raw } from "./support/raw.ts";

let account: Account;
let sessionId: string;

beforeAll(async () => {
  account = await makeAccount("viewer");
  sessionId = (await session(account)).sessionId;
});

const tokenWith = async (headers: Record<string, string>, path: string = paths.token): Promise<string | undefined> => {
  const { status, text } = await call(path, { headers });
  return notRefused(status, text);
};

attacks("accepts only issued session ids: guesses, spellings and places", () => {
  const guesses = Array.from({ length: 200 }, () => randomBytes(32).toString("base64url"));
  const spelled = [
    "",
    " ",
    '""',
    "null",
    "undefined",
    "0",
    "true",
    "[object Object]",
    "*",
    "%",
    "_",
    "session:*",
    "../",
    "'",
    '"',
    "\\",
    "a".repeat(43),
    "-".repeat(43),
    "A".repeat(4000),
    "%00",
    "{}",
    "[]",
    "sid",
  ];
  const changed = () => [
    sessionId.slice(0, -1),
    `${sessionId}A`,
    sessionId.toLowerCase(),
    sessionId.toUpperCase(),
    `${sessionId}=`,
    ` ${sessionId}x`,
    encodeURIComponent(`${sessionId}\0`),
    sessionId.split("").toReversed().join(""),
  ];
  return [
    ...[...guesses, ...spelled, ...changed()].map((value): Attack => ({
      name: `sid=${value.slice(0, 50)}`,
      run: () => tokenWith(sessionHeaders(value)),
    })),
    ...["SID", "Sid", "sid2", "xsid", "__Host-sid", "__Secure-sid", "session", "sessionId", "connect.sid", "s id"].map(
      (name): Attack => ({
        name: `the right session as ${name}`,
        run: () => tokenWith({ ...serviceKey, cookie: `${name}=${sessionId}` }),
      }),
    ),
    { name: "in the query", run: () => tokenWith(serviceKey, `${paths.token}?sid=${sessionId}`) },
    {
      name: "in a header",
      run: () =>
        tokenWith({ ...serviceKey, sid: sessionId, "x-session-id": sessionId, authorization: `Bearer ${sessionId}` }),
    },
    {
      name: "in the body",
      async run() {
        const { status, text } = await call(paths.token, {
          method: "POST",
          headers: serviceKey,
          body: { sid: sessionId, sessionId },
        });
        return notRefused(status, text);
      },
    },
  ];
});

attacks("a session is useless without the right service key", () =>
  [
    undefined,
    "",
    " ",
    "x".repeat(43),
    stack.serviceApiKey.slice(0, -1),
    `${stack.serviceApiKey}x`,
    stack.serviceApiKey.toUpperCase(),
    `${stack.serviceApiKey}, ${stack.serviceApiKey}`,
    stack.engineAccessKey,
  ].flatMap((key) =>
    [
      [paths.token, "GET"],
      [paths.token, "POST"],
      [paths.logout, "DELETE"],
      [paths.loginCredentials, "POST"],
      [paths.loginLdap, "POST"],
    ].map(([path = "", method = ""]): Attack => ({
      name: `${method} ${path} with ${JSON.stringify(key)?.slice(0, 10)}`,
      async run() {
        const headers = { ...sessionHeaders(sessionId), ...(key === undefined ? {} : { "x-service-api-key": key }) };
        if (key === undefined) delete (headers as Record<string, string>)["x-service-api-key"];
        const body = method === "POST" ? { body: { email: account.email, password: account.password } } : {};
        const { status, text } = await call(path, { method, headers, ...body });
        return notRefused(status, text);
      },
    })),
  ),
);

/** Requests that a page of another site can send with the visitor's cookies and without preflight: a form, an image, a script. */
const forms = [
  "text/plain",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "text/plain; application/json",
  "application/json, text/plain",
  undefined,
];

attacks("a page of another site cannot change or read anything with the visitor's cookie", () => [
  ...[paths.graphql, paths.loginCredentials, paths.loginLdap, paths.singleStepToken].flatMap((path) =>
    forms.map((type): Attack => ({
      name: `form ${type} to ${path}`,
      async run() {
        const body = JSON.stringify({
          query: "{ __typename }",
          email: account.email,
          username: account.email,
          password: account.password,
        });
        const lines = [
          `POST ${path} HTTP/1.1`,
          "Host: a",
          "Connection: close",
          "Origin: https://attacker.example",
          "Sec-Fetch-Site: cross-site",
          `Cookie: sid=${sessionId}`,
          `X-Service-Api-Key: ${stack.serviceApiKey}`,
          `X-Engine-Access-Key: ${stack.engineAccessKey}`,
          `Content-Length: ${body.length}`,
          ...(type === undefined ? [] : [`Content-Type: ${type}`]),
        ];
        const text = await raw(`${lines.join("\r\n")}\r\n\r\n${body}`);
        // The directory login of a stack without a directory always answers with this code.
        if (path === paths.loginLdap && text.includes('"ldap-not-configured"')) return undefined;
        return notRefused(statuses(text)[0] ?? 0, text);
      },
    })),
  ),
  ...[paths.graphql, paths.token, paths.logout, paths.loginCredentials, paths.singleStepToken].flatMap((path) =>
    ["https://attacker.example", "null", "https://localhost.attacker.example", "http://localhost", "file://"].flatMap(
      (origin): Attack[] => [
        {
          name: `preflight of ${origin} for ${path}`,
          async run() {
            const headers = {
              origin,
              "access-control-request-method": "POST",
              "access-control-request-headers": "authorization, content-type, x-service-api-key, x-engine-access-key",
            };
            const reply = await call(path, { method: "OPTIONS", headers });
            const allowed =
              reply.headers.get("access-control-allow-origin") ?? reply.headers.get("access-control-allow-headers");
            return allowed === null ? notRefused(reply.status, reply.text) : `allowed: ${allowed}`;
          },
        },
        {
          name: `answer to ${origin} of ${path}`,
          async run() {
            const reply = await call(path, {
              method: path === paths.token ? "GET" : "POST",
              headers: { origin, ...sessionHeaders(sessionId) },
              ...(path === paths.token ? {} : { body: { query: "{ __typename }" } }),
            });
            return (
              reply.headers.get("access-control-allow-origin") ??
              reply.headers.get("access-control-allow-credentials") ??
              undefined
            );
          },
        },
      ],
    ),
  ),
]);

test("the session survives all attacks, and the logout ends it permanently", async () => {
  expect((await call(paths.token, { headers: sessionHeaders(sessionId) })).status).toBe(200);
  expect((await logout(sessionId)).status).toBe(200);
  expect((await call(paths.token, { headers: sessionHeaders(sessionId) })).status).toBe(401);
});
