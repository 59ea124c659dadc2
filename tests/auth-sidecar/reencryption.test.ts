import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Database } from "@routeql/auth-sidecar/database";
import { KeyDecryptionError, KeyEncryption, reencryptKeys } from "@routeql/auth-sidecar/keys/key-encryption";
import { KeyRotation } from "@routeql/auth-sidecar/keys/key-rotation";
import { createLogger } from "@routeql/auth-sidecar/logging";
import type { Client } from "./client.ts";
import { Stack, type TestUser } from "./stack.ts";

let stack: Stack;
let database: Database;
let user: TestUser;
let old: string;

beforeAll(async () => {
  stack = await Stack.start();
  old = stack.environment["KEY_ENCRYPTION_KEY"]!;
  database = new Database({ url: stack.environment["DATABASE_URL"]!, poolSize: 5, log: createLogger("silent") });
  user = await stack.addUser();
});

afterAll(async () => {
  await database.close();
  await stack[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await stack.sql.query("truncate auth.signing_keys, auth.audit_events");
});

const newSecret = () => randomBytes(24).toString("hex");
const policy = {
  algorithm: "ES256",
  publishedBeforeSigning: 80,
  publishedAfterSigning: 920,
  publishedBeforeReplacing: 11,
  period: 0,
} as const;
/** Replicas read the keys each second, later on a busy machine. */
const soon = { timeout: 10_000 };
/** The private parts as they are stored, by id. */
async function stored(): Promise<Record<string, string>> {
  const { rows } = await stack.sql.query<{ id: string; content: string }>(
    "select id, encode(private_key_encrypted, 'hex') as content from auth.signing_keys",
  );
  return Object.fromEntries(rows.map(({ id, content }) => [id, content]));
}
/** Keys in every state under the first secret: a retired, a current and a next key. */
async function severalKeys(): Promise<void> {
  const rotation = new KeyRotation(database, new KeyEncryption(old), policy);
  await rotation.createFirst();
  for (let count = 0; count < 2; count++) {
    await stack.sql.query("update auth.signing_keys set signs_from = signs_from - interval '100 s'");
    await rotation.rotate();
  }
}
async function token(client: Client): Promise<string> {
  return ((await client.singleStep(user.email, user.password)).body as { access_token: string }).access_token;
}

test("ASVS 13.3.4: a new KEY_ENCRYPTION_KEY re-encrypts the keys, and tokens stay valid", async () => {
  let before: string;
  {
    await using running = await stack.sidecar();
    before = await token(running.client);
  }
  const stored1 = await stored();
  const changed = { KEY_ENCRYPTION_KEY: newSecret(), PREVIOUS_KEY_ENCRYPTION_KEY: old };
  await using running = await stack.sidecar(changed);
  const stored2 = await stored();
  expect(Object.keys(stored2)).toEqual(Object.keys(stored1));
  expect(Object.values(stored2)).not.toEqual(Object.values(stored1));
  const keys = createRemoteJWKSet(new URL(`${running.client.url}/jwks`));
  for (const held of [before, await token(running.client)]) await jwtVerify(held, keys);
  const { rows } = await stack.sql.query(
    "select outcome, detail from auth.audit_events where event = 'keys-reencrypted'",
  );
  expect(rows).toEqual([{ outcome: "success", detail: { keys: 1 } }]);
  for (const secret of Object.values(changed)) expect(running.log()).not.toContain(secret);
  // From now on the previous value is unused and decrypts nothing.
  await using without = await stack.sidecar({ KEY_ENCRYPTION_KEY: changed.KEY_ENCRYPTION_KEY });
  await jwtVerify(await token(without.client), keys);
  await using back = await stack.sidecar({}, { waits: false });
  await expect(back.sidecar.prepared).rejects.toThrow(KeyDecryptionError);
});

test("concurrent new replicas re-encrypt every key once beside an old one", async () => {
  await severalKeys();
  await using beside = await stack.sidecar({ KEY_REFRESH_SECONDS: "1" });
  const changed = { KEY_ENCRYPTION_KEY: newSecret(), PREVIOUS_KEY_ENCRYPTION_KEY: old, KEY_REFRESH_SECONDS: "1" };
  const replicas = await Promise.all(Array.from({ length: 4 }, () => stack.sidecar(changed)));
  try {
    const { rows } = await stack.sql.query("select detail from auth.audit_events where event = 'keys-reencrypted'");
    expect(rows).toEqual([{ detail: { keys: 3 } }]);
    await sleep(1500);
    const sets = await Promise.all(
      [beside, ...replicas].map(async ({ client }) => (await client.call("GET", "/jwks")).body),
    );
    for (const set of sets) expect(set).toEqual(sets[0]);
    const keys = createRemoteJWKSet(new URL(`${beside.client.url}/jwks`));
    for (const { client } of [beside, ...replicas]) await jwtVerify(await token(client), keys);
  } finally {
    await Promise.all(replicas.map((replica) => replica[Symbol.asyncDispose]()));
  }
});

test("re-encrypts keys that an old replica stores later", async () => {
  const changed = { KEY_ENCRYPTION_KEY: newSecret(), PREVIOUS_KEY_ENCRYPTION_KEY: old, KEY_REFRESH_SECONDS: "1" };
  await using beside = await stack.sidecar({ KEY_REFRESH_SECONDS: "1" });
  await using running = await stack.sidecar(changed);
  const byOld = await new KeyRotation(database, new KeyEncryption(old), policy).rotate();
  const opens = () => reencryptKeys(database, new KeyEncryption(changed.KEY_ENCRYPTION_KEY));
  await expect.poll(opens, soon).toEqual([]);
  await stack.sql.query("update auth.signing_keys set signs_from = signs_from - interval '100 s'");
  const byNew = await new KeyRotation(database, new KeyEncryption(changed.KEY_ENCRYPTION_KEY), policy).rotate();
  const published = async ({ client }: { client: Client }) =>
    ((await client.call("GET", "/jwks")).body as { keys: { kid: string }[] }).keys.map(({ kid }) => kid);
  for (const replica of [beside, running])
    await expect.poll(() => published(replica), soon).toEqual(expect.arrayContaining([byOld.id, byNew.id]));
  await expect.poll(async () => decodeProtectedHeader(await token(beside.client)).kid, soon).toBe(byOld.id);
  expect(beside.log()).toContain("do not open with this KEY_ENCRYPTION_KEY");
});

test("withdraws only the key that neither value decrypts", async () => {
  await severalKeys();
  const [victim, ...others] = Object.keys(await stored());
  await stack.sql.query("update auth.signing_keys set private_key_encrypted = $2 where id = $1", [
    victim,
    new KeyEncryption(newSecret()).encrypt(victim!, randomBytes(138)),
  ]);
  await using running = await stack.sidecar({ KEY_ENCRYPTION_KEY: newSecret(), PREVIOUS_KEY_ENCRYPTION_KEY: old });
  await jwtVerify(await token(running.client), createRemoteJWKSet(new URL(`${running.client.url}/jwks`)));
  const { rows } = await stack.sql.query<{ id: string }>(
    "select id from auth.signing_keys where retired_at is not null",
  );
  expect(rows).toEqual([{ id: victim }]);
  expect(Object.keys(await stored())).toEqual(expect.arrayContaining(others));
});

test.each([
  ["ES256", "EdDSA"],
  ["EdDSA", "RS256"],
])("a change from %s to %s rotates once, also with replicas of both, and refuses no token", async (from, to) => {
  const short = { KEY_REFRESH_SECONDS: "1", JWKS_MAX_AGE_SECONDS: "120" };
  await using before = await stack.sidecar({ ...short, TOKEN_ALGORITHM: from });
  const held = await token(before.client);
  await using after = await stack.sidecar({ ...short, TOKEN_ALGORITHM: to });
  const algorithm = async (client: Client) => decodeProtectedHeader(await token(client)).alg;
  const rotations = async () =>
    (await stack.sql.query("select from auth.audit_events where event = 'key-rotated'")).rows.length;
  await expect.poll(rotations).toBe(1);
  for (const { client } of [before, after]) expect(await algorithm(client)).toBe(from);
  // Simulates the end of the waiting time between publication and first signature.
  await stack.sql.query("update auth.signing_keys set signs_from = now() where signs_from > now()");
  for (const { client } of [before, after]) await expect.poll(() => algorithm(client), { interval: 200 }).toBe(to);
  // Enough time for either replica to rotate again.
  await sleep(2500);
  for (const { client } of [before, after]) {
    const keys = createRemoteJWKSet(new URL(`${client.url}/jwks`));
    expect(await algorithm(client)).toBe(to);
    for (const one of [held, await token(client)]) await jwtVerify(one, keys);
  }
  expect(await rotations()).toBe(1);
});
