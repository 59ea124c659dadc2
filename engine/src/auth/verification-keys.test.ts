import { generateKeyPairSync } from "node:crypto";
import { errors, exportJWK } from "jose";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { keyPairs, pem } from "../lifecycle/testing/tokens.ts";
import type { KeyType } from "./jwt-settings.ts";
import {
  createRemoteKeySet,
  importStaticKey,
  type KeySetEvent,
  type RemoteKeySet,
  type RemoteKeySetOptions,
} from "./verification-keys.ts";

const smallRsa = generateKeyPairSync("rsa", { modulusLength: 1024 });
const privatePem = keyPairs.rsa.privateKey.export({ type: "pkcs8", format: "pem" }).toString();

test.each<[KeyType, string, string]>([
  ["HS256", "x".repeat(31), "HS256 needs at least 32 bytes"],
  ["HS384", "x".repeat(47), "HS384 needs at least 48 bytes"],
  ["HS512", "x".repeat(63), "HS512 needs at least 64 bytes"],
  ["RS256", "not a key", "is not a PEM public key or certificate"],
  ["RS256", pem(smallRsa.publicKey), "RSA keys need at least 2048 bits"],
  ["RS256", pem(keyPairs.p256.publicKey), "RS256 needs an RSA key"],
  ["RS256", privatePem, "not a private key"],
  ["ES256", pem(keyPairs.p384.publicKey), "ES256 needs a key on the curve prime256v1"],
  ["ES384", pem(keyPairs.rsa.publicKey), "ES384 needs a key on the curve secp384r1"],
  ["Ed25519", pem(keyPairs.p256.publicKey), "Ed25519 needs an Ed25519 key"],
])("%s rejects an unsuitable key without repeating it", (type, key, message) => {
  expect(() => importStaticKey(type, key)).toThrow(message);
  expect(() => importStaticKey(type, key)).not.toThrow(key);
});

test("the length of a secret counts bytes, not characters", () => {
  expect(importStaticKey("HS256", "é".repeat(16)).symmetricKeySize).toBe(32);
});

test("also accepts a PKCS#1 public key", () => {
  const pkcs1 = keyPairs.rsa.publicKey.export({ type: "pkcs1", format: "pem" }).toString();
  expect(importStaticKey("RS256", pkcs1).asymmetricKeyType).toBe("rsa");
});

const url = "http://keys.example/jwks";
const one = { ...(await exportJWK(keyPairs.p256.publicKey)), kid: "one", alg: "ES256" };
const two = { ...(await exportJWK(keyPairs.foreignP256.publicKey)), kid: "two", alg: "ES256" };
const token = { payload: "", signature: "", protected: "" };

let reply: () => Response | Promise<Response>;
const fetched = vi.fn<typeof fetch>(() => Promise.resolve().then(() => reply()));
const changed = vi.fn<() => void>();
let events: KeySetEvent[];
let opened: RemoteKeySet[];

const serve = (keys: readonly object[], headers: Record<string, string> = {}) => {
  reply = () => Response.json({ keys }, { headers });
};

async function open(more: Partial<RemoteKeySetOptions> = {}): Promise<RemoteKeySet> {
  const creating = createRemoteKeySet({
    url,
    fetch: fetched,
    now: Date.now,
    onEvent: (event) => events.push(event),
    onChange: changed,
    ...more,
  });
  const [keySet] = await Promise.all([creating, vi.advanceTimersByTimeAsync(10_000)]);
  opened.push(keySet);
  return keySet;
}

beforeEach(() => {
  vi.useFakeTimers();
  fetched.mockClear();
  changed.mockClear();
  events = [];
  opened = [];
});

afterEach(() => {
  for (const keySet of opened) keySet.close();
  vi.useRealTimers();
});

describe("at the start", () => {
  test("has its keys as soon as it is created", async () => {
    serve([one], { "cache-control": "max-age=3600" });
    const keySet = await open();
    await expect(keySet.getKey({ alg: "ES256", kid: "one" }, token)).resolves.toBeDefined();
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  test("retries a failing address", async () => {
    let attempts = 0;
    reply = () => {
      attempts += 1;
      return attempts < 3
        ? new Response("", { status: 503 })
        : Response.json({ keys: [one] }, { headers: { "cache-control": "max-age=3600" } });
    };
    await open();
    expect(attempts).toBe(3);
  });

  test.each<[string, () => Response | Promise<Response>, string]>([
    ["an error status", () => new Response("", { status: 500 }), "status 500"],
    [
      "no connection",
      () => Promise.reject(new TypeError("fetch failed", { cause: new Error("ECONNREFUSED") })),
      "fetch failed (ECONNREFUSED)",
    ],
    ["something that is not JSON", () => new Response("<html>"), "JSON"],
    ["no keys", () => Response.json({ keys: [] }), "the reply holds no public key"],
    [
      "only shared secrets",
      () => Response.json({ keys: [{ kty: "oct", k: "c2VjcmV0" }] }),
      "the reply holds no public key",
    ],
    ["another form", () => Response.json({ keys: "none" }), "keys"],
    ["too much", () => new Response("x".repeat(1_048_577)), "the reply is too large"],
  ])("a fetch of %s times out after six seconds", async (_title, answer, message) => {
    reply = answer;
    const outcome = expect(
      createRemoteKeySet({ url, fetch: fetched, now: Date.now, onEvent: () => undefined }),
    ).rejects.toThrow(`cannot fetch the token keys from ${url}`);
    await vi.advanceTimersByTimeAsync(6_000);
    await outcome;
    await expect(
      Promise.all([
        createRemoteKeySet({ url, fetch: fetched, now: Date.now, onEvent: () => undefined, startTimeout: 0 }),
        vi.advanceTimersByTimeAsync(1),
      ]),
    ).rejects.toThrow(message);
  });
});

describe("refreshing", () => {
  test.each<[string, Record<string, string>, number]>([
    ["max-age", { "cache-control": "public, max-age=120" }, 120_000],
    ["s-maxage before max-age", { "cache-control": "max-age=10, s-maxage=90" }, 90_000],
    ["no cache headers", {}, 60_000],
    ["no-store", { "cache-control": "no-store" }, 1_000],
    ["max-age=0", { "cache-control": "max-age=0" }, 1_000],
    ["an absurdly long max-age", { "cache-control": "max-age=99999999" }, 86_400_000],
  ])("%s determines the next fetch of the set", async (_title, headers, delay) => {
    serve([one], headers);
    await open();
    expect(events.at(-1)).toMatchObject({ type: "fetched", nextInMilliseconds: delay });
    await vi.advanceTimersByTimeAsync(delay);
    expect(fetched.mock.calls.length).toBeGreaterThanOrEqual(2);
  });

  test("is fetched each minute when its keys have no names, whatever its max-age", async () => {
    const { kid: _kid, ...unnamed } = one;
    serve([unnamed], { "cache-control": "max-age=3600" });
    await open();
    expect(events.at(-1)).toMatchObject({ type: "fetched", nextInMilliseconds: 60_000 });
  });

  test("Expires applies without Cache-Control", async () => {
    serve([one], { expires: new Date(Date.now() + 45_000).toUTCString() });
    await open();
    expect(events[0]).toMatchObject({ type: "fetched" });
    const [event] = events;
    expect(event?.type === "fetched" ? event.nextInMilliseconds : 0).toBeGreaterThan(43_000);
    expect(event?.type === "fetched" ? event.nextInMilliseconds : 0).toBeLessThanOrEqual(45_000);
  });

  test("a failed refresh keeps the keys and is retried", async () => {
    serve([one], { "cache-control": "max-age=60" });
    const keySet = await open();
    reply = () => new Response("", { status: 500 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(events.at(-1)).toMatchObject({ type: "failed", message: "status 500" });
    await expect(keySet.getKey({ alg: "ES256", kid: "one" }, token)).resolves.toBeDefined();
    serve([one, two]);
    await vi.advanceTimersByTimeAsync(15_000);
    await expect(keySet.getKey({ alg: "ES256", kid: "two" }, token)).resolves.toBeDefined();
  });

  test("rejects a withdrawn key, and notifies the code that depends on the keys", async () => {
    serve([one, two], { "cache-control": "max-age=60" });
    const keySet = await open();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(changed).not.toHaveBeenCalled();
    serve([two], { "cache-control": "max-age=60" });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(changed).toHaveBeenCalledTimes(1);
    await expect(keySet.getKey({ alg: "ES256", kid: "one" }, token)).rejects.toThrow("no applicable key");
  });

  test("fetches nothing after a start that failed", async () => {
    reply = () => new Response("", { status: 500 });
    const failed = expect(open()).rejects.toThrow("cannot fetch the token keys");
    await vi.advanceTimersByTimeAsync(10_000);
    await failed;
    const { length } = fetched.mock.calls;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(fetched).toHaveBeenCalledTimes(length);
  });

  test("fetches nothing after close", async () => {
    serve([one], { "cache-control": "max-age=60" });
    const keySet = await open();
    keySet.close();
    await vi.advanceTimersByTimeAsync(600_000);
    expect(fetched).toHaveBeenCalledTimes(1);
  });
});

describe("a set with revocations", () => {
  test("is fetched every five seconds, whatever its max-age, and after a failure", async () => {
    reply = () => Response.json({ keys: [one], revoked_before: {} }, { headers: { "cache-control": "max-age=60" } });
    const keySet = await open();
    expect(events.at(-1)).toMatchObject({ nextInMilliseconds: 5_000 });
    reply = () => new Response("", { status: 503 });
    await vi.advanceTimersByTimeAsync(5_000);
    reply = () => Response.json({ keys: [one], revoked_before: { alice: 7 } });
    await vi.advanceTimersByTimeAsync(5_000);
    expect([keySet.revokedBefore("alice"), keySet.revokedBefore("bob"), keySet.revokedBefore(undefined)]).toEqual([
      7, 0, 0,
    ]);
    expect(changed).toHaveBeenCalledTimes(1);
  });

  test("with another form is rejected", async () => {
    reply = () => Response.json({ keys: [one], revoked_before: ["alice"] });
    const creating = createRemoteKeySet({
      url,
      fetch: fetched,
      now: Date.now,
      onEvent: () => undefined,
      startTimeout: 0,
    });
    await expect(Promise.all([creating, vi.advanceTimersByTimeAsync(1)])).rejects.toThrow("revoked_before");
  });
});

describe("an unreachable set", () => {
  test("verifies tokens for its longest use and none afterwards, until it answers again", async () => {
    serve([one], { "cache-control": "max-age=60" });
    const keySet = await open({ longestUse: 900_000 });
    const key = () => Promise.resolve(keySet.getKey({ alg: "ES256", kid: "one" }, token));
    reply = () => new Response("", { status: 503 });
    await vi.advanceTimersByTimeAsync(885_000);
    await expect(key()).resolves.toBeDefined();
    await vi.advanceTimersByTimeAsync(20_000);
    await expect(key()).rejects.toMatchObject({ code: "busy", status: 503, reason: "keys" });
    serve([one], { "cache-control": "max-age=60" });
    await vi.advanceTimersByTimeAsync(5_000);
    await expect(key()).resolves.toBeDefined();
  });
});

describe("an unknown kid", () => {
  test.each([
    ["does not answer", {}, "keys"],
    ["names its database", { "x-graphql-errors": "unavailable:database" }, "database"],
  ])("is no invalid token while the set %s", async (_title, headers, reason) => {
    reply = () => Response.json({ keys: [one], revoked_before: {} });
    const keySet = await open();
    reply = () => new Response("", { status: 503, headers });
    const asking = Promise.resolve(keySet.getKey({ alg: "ES256", kid: "two" }, token)).catch((error: unknown) => error);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await asking).toMatchObject({ code: "busy", status: 503, reason });
  });

  test("triggers a fetch of the set", async () => {
    serve([one], { "cache-control": "max-age=3600" });
    const keySet = await open();
    serve([one, two], { "cache-control": "max-age=3600" });
    await expect(keySet.getKey({ alg: "ES256", kid: "two" }, token)).resolves.toBeDefined();
    expect(fetched).toHaveBeenCalledTimes(2);
  });

  describe("to a set with revocations", () => {
    const publish = (...keys: readonly object[]) => {
      reply = () => Response.json({ keys, revoked_before: {} });
    };
    const ask = (keySet: RemoteKeySet, kid: string): Promise<unknown> =>
      Promise.resolve(keySet.getKey({ alg: "ES256", kid }, token)).catch((error: unknown) => error);
    const isKey = { type: "public" };

    test.each([0, 100, 249, 250, 1_000])("is found %d ms after the last fetch", async (milliseconds) => {
      publish(one);
      const keySet = await open();
      fetched.mockClear();
      await vi.advanceTimersByTimeAsync(milliseconds);
      publish(one, two);
      const found = ask(keySet, "two");
      await vi.advanceTimersByTimeAsync(250);
      await expect(found).resolves.toMatchObject(isKey);
      expect(fetched).toHaveBeenCalledTimes(1);
    });

    test("is found when a fetch from before its publication is still running", async () => {
      publish(one);
      const keySet = await open();
      const former = Response.json({ keys: [one], revoked_before: {} });
      reply = () => new Promise((answer) => setTimeout(() => answer(former), 400));
      await vi.advanceTimersByTimeAsync(5_100);
      publish(one, two);
      const found = ask(keySet, "two");
      await vi.advanceTimersByTimeAsync(400);
      await expect(found).resolves.toMatchObject(isKey);
    });

    test("is fetched four times a second at most, and tokens with it do not delay another new key", async () => {
      publish(one);
      const keySet = await open();
      fetched.mockClear();
      const forged: Promise<unknown>[] = [];
      for (let passed = 0; passed < 3_000; passed += 10) {
        forged.push(ask(keySet, "nobody"));
        await vi.advanceTimersByTimeAsync(10);
      }
      expect(fetched.mock.calls.length).toBeLessThanOrEqual(13);
      publish(one, two);
      const found = ask(keySet, "two");
      await vi.advanceTimersByTimeAsync(500);
      await expect(found).resolves.toMatchObject(isKey);
      expect(await Promise.all(forged)).toEqual(forged.map(() => expect.any(errors.JWKSNoMatchingKey) as unknown));
    });
  });

  test("fetches once for concurrent requests, and then not again for ten seconds", async () => {
    serve([one], { "cache-control": "max-age=3600" });
    const keySet = await open();
    const ask = (): Promise<unknown> =>
      Promise.resolve(keySet.getKey({ alg: "ES256", kid: "nobody" }, token)).catch((error: unknown) => error);
    await Promise.all(Array.from({ length: 50 }, ask));
    expect(fetched).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(9_000);
    await ask();
    expect(fetched).toHaveBeenCalledTimes(2);
    await vi.advanceTimersByTimeAsync(1_000);
    await ask();
    expect(fetched).toHaveBeenCalledTimes(3);
  });
});
