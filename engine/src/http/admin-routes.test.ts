import type { IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { busy } from "../errors.ts";
import { adminSecret, serveFake } from "../lifecycle/testing/served-engine.ts";
import { adminRoute } from "./admin-routes.ts";
import { goodClaims, hmacSecret, sign } from "../lifecycle/testing/tokens.ts";

const admin = { "x-hasura-admin-secret": adminSecret };

async function post(url: string, body: unknown, headers: Readonly<Record<string, string>> = admin) {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(`${url}/v1/metadata`, { method: "POST", headers, body: text });
  return [response.status, await response.json()];
}

test("the metadata API requires role admin", async () => {
  await using server = await serveFake();
  const token = await sign(
    { ...goodClaims(), iat: Math.floor(Date.now() / 1000), exp: Math.floor(Date.now() / 1000) + 900 },
    "HS256",
    Buffer.from(hmacSecret),
  );
  const refused = [400, { path: "$.args", error: "restricted access : admin only", code: "access-denied" }];
  const request = { type: "export_metadata", args: {} };
  expect(await post(server.url, request, { authorization: `Bearer ${token}` })).toEqual(refused);
  expect(await post(server.url, request, { ...admin, "x-hasura-role": "viewer" })).toEqual(refused);
  expect((await post(server.url, request, { "x-hasura-admin-secret": "wrong" }))[0]).toBe(401);
  expect(await post(server.url, request)).toEqual([200, {}]);
});

test("a reply with 503 names its reason in the hidden header", async () => {
  const session = { role: "admin", isAdmin: true, variables: new Map<string, string>() };
  const authenticator = {
    authenticate: () => ({ session, expiresAt: Infinity, isRevoked: () => false }),
    onRevocation: () => undefined,
    onPreviousSecret: () => undefined,
    close: () => undefined,
  };
  const route = adminRoute({ authenticator, logError: () => undefined }, { message: "admin only" }, () =>
    Promise.reject(busy("upstream")),
  );
  const request = { headers: {} } as unknown as IncomingMessage;
  const { status, errors } = await route(request, "test", {} as never);
  expect([status, errors]).toEqual([503, ["busy:upstream"]]);
});

const list = (type: string, ...types: readonly string[]) => ({
  type,
  args: types.map((each) => ({ type: each, args: {} })),
});

test.each<[request: unknown, code: string, path: string]>([
  ["{", "invalid-json", "$"],
  [[], "parse-failed", "$"],
  [{ args: {} }, "parse-failed", "$"],
  [{ type: "reload_metadata" }, "parse-failed", "$"],
  [{ type: "export_metadata", version: 3 }, "parse-failed", "$.version"],
  [{ type: "replace_metadata", version: 2, args: {} }, "parse-failed", "$.args"],
  [{ type: "replace_metadata", version: 2, args: { metadata: {}, force: true } }, "parse-failed", "$.args"],
  [{ type: "create_action", args: {} }, "not-supported", "$.type"],
  [{ type: "pg_suggest_relationships", args: {} }, "not-supported", "$.type"],
  [list("bulk", "create_action"), "not-supported", "$.args[0].type"],
  [{ type: "mssql_track_table", args: {} }, "not-supported", "$.type"],
  [{ type: "run_sql", args: {} }, "parse-failed", "$"],
  [{ type: "pg_run_sql", args: {} }, "parse-failed", "$"],
  [list("bulk_keep_going", "export_metadata", "run_sql"), "parse-failed", "$.args[1]"],
  [{ type: "pg_track_table", args: { table: "a" } }, "not-supported", "$.type"],
  // There is no store.
  [{ type: "clear_metadata", args: {} }, "not-supported", "$"],
])("rejects %j as Hasura does: with path, error and code", async (request, code, path) => {
  await using server = await serveFake();
  const [status, body] = await post(server.url, request);
  expect(status).toBe(400);
  expect(body).toEqual({ path, code, error: expect.any(String) as string });
});

test("reports unknown commands with Hasura's message", async () => {
  await using server = await serveFake();
  const errorOf = async (type: string) => ((await post(server.url, { type, args: {} }))[1] as { error: string }).error;
  expect(await errorOf("track_table")).toBe(
    'unknown metadata command "track_table"; "track" was not recognized as a valid backend name',
  );
  expect(await errorOf("pg_track")).toBe('unknown metadata command "track" for backend postgres');
});

test("reloads metadata without a store too, alone and in a list", async () => {
  await using server = await serveFake();
  const reload = { type: "reload_metadata", args: { reload_sources: true, other: 1 } };
  const reloaded = { message: "success", is_consistent: true };
  expect(await post(server.url, reload)).toEqual([200, reloaded]);
  expect(
    await post(server.url, { type: "bulk", args: [reload, { type: "get_inconsistent_metadata", args: {} }] }),
  ).toEqual([200, [reloaded, { is_consistent: true, inconsistent_objects: [] }]]);
  expect(await post(server.url, { type: "bulk", args: [reload, { type: "clear_metadata", args: {} }] })).toMatchObject([
    400,
    { code: "not-supported" },
  ]);
});

test("the config API shows admin the server's configuration without secrets", async () => {
  await using server = await serveFake();
  const refused = await fetch(`${server.url}/v1alpha1/config`, { headers: { ...admin, "x-hasura-role": "viewer" } });
  expect([refused.status, await refused.json()]).toEqual([
    400,
    { path: "$", error: "You have to be an admin to access this endpoint", code: "access-denied" },
  ]);
  const answer = await fetch(`${server.url}/v1alpha1/config`, { headers: admin });
  const text = await answer.text();
  expect(JSON.parse(text)).toMatchObject({
    is_admin_secret_set: true,
    is_jwt_set: true,
    jwt: [{ claims_format: "json", claims_map: null, claims_namespace: "https://hasura.io/jwt/claims" }],
    live_queries: { batch_size: 100, refetch_delay: 0.02 },
    default_naming_convention: "hasura-default",
  });
  expect(text).not.toContain(hmacSecret);
  expect(text).not.toContain(adminSecret);
});
