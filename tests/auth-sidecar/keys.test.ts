import { createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from "jose";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { Database } from "@routeql/auth-sidecar/database";
import { KeyEncryption } from "@routeql/auth-sidecar/keys/key-encryption";
import { KeyRepository } from "@routeql/auth-sidecar/keys/keyring";
import { KeyRotation, type RotationPolicy, RotationUnderWay } from "@routeql/auth-sidecar/keys/key-rotation";
import { createLogger } from "@routeql/auth-sidecar/logging";
import type { Client } from "./client.ts";
import { Stack } from "./stack.ts";

let stack: Stack;
let database: Database;
let encryption: KeyEncryption;

beforeAll(async () => {
  stack = await Stack.start();
  database = new Database({ url: stack.environment["DATABASE_URL"]!, poolSize: 5, log: createLogger("silent") });
  encryption = new KeyEncryption(stack.environment["KEY_ENCRYPTION_KEY"]!);
});

afterAll(async () => {
  await database.close();
  await stack[Symbol.asyncDispose]();
});

beforeEach(async () => {
  await stack.sql.query("truncate auth.signing_keys, auth.audit_events");
});

const policy: RotationPolicy = {
  algorithm: "ES256",
  publishedBeforeSigning: 80,
  publishedAfterSigning: 920,
  publishedBeforeReplacing: 11,
  period: 3600,
};
const rotation = (changes: Partial<RotationPolicy> = {}) =>
  new KeyRotation(database, encryption, { ...policy, ...changes });
const states = async () =>
  (await new KeyRepository(database, encryption).all()).map(({ id, state }) => ({ id, state }));
/** Moves all times of the keys into the past, as if this number of seconds had passed. */
const elapse = (seconds: number) =>
  stack.sql.query(
    `update auth.signing_keys set created_at = created_at - $1 * interval '1 s', published_at = published_at - $1 * interval '1 s',
     signs_from = signs_from - $1 * interval '1 s', retires_at = retires_at - $1 * interval '1 s'`,
    [seconds],
  );

async function published(client: Client): Promise<string[]> {
  const { body } = await client.call("GET", "/jwks");
  return (body as JSONWebKeySet).keys.map(({ kid }) => kid!);
}

test("a rotation publishes, waits, signs, waits, retires and deletes the private part", async () => {
  const first = (await rotation().createFirst())!;
  const second = await rotation().rotate();
  expect(second.replaces).toEqual([first.id]);
  expect(second.signsFrom.getTime() - Date.now()).toBeGreaterThan(75_000);
  expect(await states()).toEqual([
    { id: first.id, state: "signing" },
    { id: second.id, state: "next" },
  ]);
  await expect(rotation().rotate()).rejects.toThrow(RotationUnderWay);
  await elapse(81);
  expect(await states()).toEqual([
    { id: first.id, state: "verifying" },
    { id: second.id, state: "signing" },
  ]);
  expect(await rotation().retireExpired()).toEqual([]);
  await elapse(920);
  expect(await rotation().retireExpired()).toEqual([first.id]);
  expect(await rotation().retireExpired()).toEqual([]);
  expect(await states()).toEqual([
    { id: first.id, state: "retired" },
    { id: second.id, state: "signing" },
  ]);
  const { rows } = await stack.sql.query<{ length: number }>(
    "select length(private_key_encrypted) from auth.signing_keys where id = $1",
    [first.id],
  );
  expect(rows).toEqual([{ length: 0 }]);
});

test("an old key or another algorithm triggers one rotation over all replicas", async () => {
  const first = (await rotation().createFirst())!;
  expect(await rotation().rotateIfDue()).toBeUndefined();
  await elapse(3601);
  expect(await rotation({ period: 0 }).rotateIfDue()).toBeUndefined();
  const rotated = (await Promise.all(Array.from({ length: 4 }, () => rotation().rotateIfDue()))).filter(
    (result) => result !== undefined,
  );
  expect(rotated.map(({ replaces }) => replaces)).toEqual([[first.id]]);
  await elapse(81);
  const changed = await rotation({ period: 0, algorithm: "RS256" }).rotateIfDue();
  expect(changed?.replaces).toEqual([rotated[0]!.id]);
  expect(await rotation({ period: 0, algorithm: "RS256" }).rotateIfDue()).toBeUndefined();
});

test("retiring the last key that can sign publishes a new one, which replaces it 11 s later", async () => {
  const first = (await rotation().createFirst())!;
  await rotation().rotate();
  await elapse(81);
  expect(await rotation().retire(first.id)).toEqual({ id: first.id, replacement: undefined });
  expect(await rotation().retire(first.id)).toBeUndefined();
  expect(await rotation().retire("unknown")).toBeUndefined();
  const [, second] = await states();
  const { replacement } = (await rotation().retire(second!.id))!;
  expect(replacement!.signsFrom.getTime() - Date.now()).toBeGreaterThan(9_000);
  expect(await rotation().retire(second!.id)).toMatchObject({
    id: second!.id,
    replacement: { id: replacement!.id, signsFrom: replacement!.signsFrom },
  });
  await elapse(10);
  expect(await states()).toContainEqual({ id: second!.id, state: "signing" });
  expect(await states()).toContainEqual({ id: replacement!.id, state: "next" });
  await elapse(1);
  expect(await states()).toEqual([
    { id: first.id, state: "retired" },
    { id: second!.id, state: "retired" },
    { id: replacement!.id, state: "signing" },
  ]);
  expect(await rotation().retireExpired()).toEqual([second!.id]);
  expect(await rotation().retire(second!.id)).toBeUndefined();
});

test("retiring the signing key during a rotation lets the next key sign 11 s later, and keeps it", async () => {
  const first = (await rotation().createFirst())!;
  const next = await rotation().rotate();
  expect(await rotation().retire(first.id)).toMatchObject({ id: first.id, replacement: { id: next.id } });
  await elapse(11);
  expect(await new KeyRepository(database, encryption).all()).toMatchObject([
    { id: first.id, state: "retired" },
    { id: next.id, state: "signing", retiresAt: null },
  ]);
});

test("after a withdrawal both replicas publish the new key before either signs with it", async () => {
  const settings = { KEY_REFRESH_SECONDS: "2" };
  await using first = await stack.sidecar(settings);
  await using second = await stack.sidecar(settings);
  const user = await stack.addUser();
  const clients = [first.client, second.client];
  const [old = ""] = await published(first.client);
  const { replacement } = (await rotation({ publishedBeforeReplacing: 4 }).retire(old))!;
  let signer: string | undefined;
  while (signer !== replacement!.id) {
    for (const client of clients) {
      // The verifier reads the set of any replica. Read afterwards, it may already lack the withdrawn key that signed this token.
      const sets = await Promise.all(clients.map(published));
      const { body } = await client.singleStep(user.email, user.password);
      signer = decodeProtectedHeader((body as { access_token: string }).access_token).kid!;
      for (const set of sets) expect(set).toContain(signer);
    }
  }
  for (const client of clients) expect(await published(client)).toEqual([replacement!.id]);
});

test("both replicas publish a new key before either signs with it", async () => {
  const settings = { KEY_REFRESH_SECONDS: "1", JWKS_MAX_AGE_SECONDS: "1" };
  await using first = await stack.sidecar(settings);
  await using second = await stack.sidecar(settings);
  const user = await stack.addUser();
  const [old] = await published(first.client);
  const rotated = await rotation().rotate();
  const signer = async ({ client }: { client: Client }) =>
    decodeProtectedHeader(
      ((await client.singleStep(user.email, user.password)).body as { access_token: string }).access_token,
    ).kid;
  for (const { client } of [first, second]) await expect.poll(() => published(client)).toEqual([old, rotated.id]);
  for (const replica of [first, second]) expect(await signer(replica)).toBe(old);
  await elapse(81);
  for (const replica of [first, second]) await expect.poll(() => signer(replica), { interval: 500 }).toBe(rotated.id);
});

test.each(["EdDSA", "RS256"])(
  "with TOKEN_ALGORITHM=%s a new stack uses and publishes that algorithm",
  async (algorithm) => {
    await using running = await stack.sidecar({ TOKEN_ALGORITHM: algorithm });
    const user = await stack.addUser();
    const { body } = await running.client.singleStep(user.email, user.password);
    const { protectedHeader } = await jwtVerify(
      (body as { access_token: string }).access_token,
      createRemoteJWKSet(new URL(`${running.client.url}/jwks`)),
    );
    expect(protectedHeader.alg).toBe(algorithm);
  },
);
