import { beforeAll, expect, test } from "vitest";
import { paths } from "@routeql/contract/paths";
import { type Account, makeAccount } from "../e2e/support/clients/accounts.ts";
import { call } from "../e2e/support/clients/http.ts";
import { logout, session, sessionHeaders } from "../e2e/support/clients/sessions.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { statuses } from "../harness/exchange.ts";
import { type Attack, attacks, notRefused } from "./support/attack.ts";
import { raw } from "./support/raw.ts";

let account: Account;
let sessionId: string;

beforeAll(async () => {
  account = await makeAccount("viewer");
  sessionId = (await session(account)).sessionId;
});

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
