import { expect, test } from "vitest";
import { adminSecret, serveFake } from "../lifecycle/testing/served-engine.ts";
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

test.each([
  ["no JSON", "{", "invalid-json", "$"],
  ["no object", [], "parse-failed", "$"],
  ["no type", { args: {} }, "parse-failed", "$.type"],
  ["an unknown version", { type: "export_metadata", version: 3 }, "parse-failed", "$.version"],
  [
    "replace_metadata without metadata",
    { type: "replace_metadata", version: 2, args: {} },
    "parse-failed",
    "$.args.metadata",
  ],
  [
    "a key that replace_metadata does not have",
    { type: "replace_metadata", version: 2, args: { metadata: {}, force: true } },
    "parse-failed",
    "$.args",
  ],
  ["a command of Hasura that is not served", { type: "create_action", args: {} }, "not-supported", "$.type"],
  ["the same of a source", { type: "pg_suggest_relationships", args: {} }, "not-supported", "$.type"],
  [
    "the same in a list",
    { type: "bulk", args: [{ type: "create_action", args: {} }] },
    "not-supported",
    "$.args[0].type",
  ],
  ["a command for another database", { type: "mssql_track_table", args: {} }, "not-supported", "$.type"],
  ["an unknown command", { type: "run_sql", args: {} }, "parse-failed", "$"],
  ["an unknown command of a source", { type: "pg_run_sql", args: {} }, "parse-failed", "$"],
  [
    "the same in a list whose other requests are right",
    {
      type: "bulk_keep_going",
      args: [
        { type: "export_metadata", args: {} },
        { type: "run_sql", args: {} },
      ],
    },
    "parse-failed",
    "$.args[1]",
  ],
  ["a command that changes one object", { type: "pg_track_table", args: { table: "a" } }, "not-supported", "$.type"],
  ["a command without a store", { type: "clear_metadata", args: {} }, "not-supported", "$"],
])("rejects %s as Hasura does: with path, error and code", async (_what, request, code, path) => {
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
  const reload = { type: "reload_metadata", args: {} };
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
