import { beforeAll, expect, test } from "vitest";
import { Unavailable } from "../errors.ts";
import { Keyring, type StoredKey } from "./keyring.ts";
import { generateSigningKey } from "./signing-key.ts";

let first: StoredKey;
let second: StoredKey;

beforeAll(async () => {
  first = { ...(await generateSigningKey("ES256")), signsFrom: new Date(1000), retiresAt: new Date(5000) };
  second = { ...(await generateSigningKey("ES256")), signsFrom: new Date(3000), retiresAt: null };
});

async function keyring(...keys: StoredKey[]): Promise<Keyring> {
  const ring = new Keyring(() => Promise.resolve(keys));
  await ring.refresh();
  return ring;
}

test("signs and publishes nothing without keys", async () => {
  expect(() => new Keyring(() => Promise.resolve([])).signingKey()).toThrow(Unavailable);
  expect((await keyring()).published()).toEqual([]);
});

test("publishes the next key before it signs, and the previous one after its last signature", async () => {
  const ring = await keyring(first, second);
  expect(ring.signingKey(2999)).toBe(first);
  expect(ring.signingKey(3000)).toBe(second);
  for (const now of [2000, 3000, 4999]) expect(ring.published(now)).toEqual([first.publicJwk, second.publicJwk]);
  expect(ring.published(5000)).toEqual([second.publicJwk]);
});

test("finds a key when the clock is behind", async () => {
  expect((await keyring(second)).signingKey(0)).toBe(second);
});

test("keeps its keys while they cannot be read again", async () => {
  let fails = false;
  const ring = new Keyring(() => (fails ? Promise.reject(new Unavailable("database")) : Promise.resolve([second])));
  await ring.refresh();
  fails = true;
  await expect(ring.refresh()).rejects.toThrow(Unavailable);
  expect(ring.signingKey(4000)).toBe(second);
});

test("publishes a key that it cannot decrypt and never signs with it", async () => {
  const closed = { ...second, privateKey: undefined };
  const ring = await keyring(first, closed);
  expect(ring.published(4000)).toEqual([first.publicJwk, second.publicJwk]);
  expect(ring.signingKey(4000)).toBe(first);
  expect(ring.closed()).toEqual([second.publicJwk.kid]);
  const none = await keyring(closed);
  expect(() => none.signingKey(4000)).toThrow(Unavailable);
});
