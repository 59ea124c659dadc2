import { afterEach, expect, test, vi } from "vitest";
import { tokenOf, withKeySet } from "../lifecycle/testing/key-set.ts";
import { audience, frozenSeconds, goodClaims, issuer, keyPairs, sign } from "../lifecycle/testing/tokens.ts";
import type { Authentication, Authenticator } from "./authenticator.ts";
import { jwtSettingsSchema } from "./jwt-settings.ts";

afterEach(() => {
  vi.restoreAllMocks();
});

const asked = (authenticator: Authenticator, token: string): Promise<Authentication> =>
  Promise.resolve().then(() => authenticator.authenticate({ authorization: `Bearer ${token}` }));

/** Holds the next signature check. `reached` resolves when it has begun; `resume` ends it. */
function holdSignature(): { readonly reached: Promise<void>; readonly resume: () => void } {
  const reached = Promise.withResolvers<void>();
  const resumed = Promise.withResolvers<void>();
  const verify = crypto.subtle.verify.bind(crypto.subtle);
  vi.spyOn(crypto.subtle, "verify").mockImplementationOnce(async (...parameters) => {
    reached.resolve();
    await resumed.promise;
    return verify(...parameters);
  });
  return { reached: reached.promise, resume: () => resumed.resolve() };
}

type Change = Parameters<Awaited<ReturnType<typeof withKeySet>>["publish"]>;

/** Publishes these keys while the signature of a token is checked. */
async function checkedDuring(...change: Change) {
  const { authenticator, publish } = await withKeySet();
  const token = await tokenOf("alice");
  const { reached, resume } = holdSignature();
  const pending = asked(authenticator, token);
  await reached;
  await publish(...change);
  resume();
  return { authenticator, token, pending };
}

test.each<[string, Change, string]>([
  ["whose key is withdrawn", [["two"]], "JWSInvalidSignature"],
  ["that is revoked", [["one"], { alice: frozenSeconds + 1 }], "JWTRevoked"],
])("rejects a token %s while its signature is checked", async (_title, change, reason) => {
  const { authenticator, token, pending } = await checkedDuring(...change);
  await expect(pending).rejects.toThrow(reason);
  await expect(asked(authenticator, token)).rejects.toThrow(reason);
});

test("accepts a token whose key stays while another key is added during its check", async () => {
  const { authenticator, token, pending } = await checkedDuring(["one", "two"]);
  expect((await pending).isRevoked()).toBe(false);
  expect(authenticator.authenticate({ authorization: `Bearer ${token}` })).not.toBeInstanceOf(Promise);
});

test("a cached token is rejected after its key is withdrawn", async () => {
  const { authenticator, publish } = await withKeySet();
  const token = await tokenOf("alice");
  const { isRevoked } = await asked(authenticator, token);
  await publish(["one", "two"]);
  expect(isRevoked()).toBe(false);
  await publish(["two"]);
  expect(isRevoked()).toBe(true);
  await expect(asked(authenticator, token)).rejects.toThrow("JWSInvalidSignature");
});

test("a token without a kid is revoked with any change of the keys", async () => {
  const { authenticator, publish } = await withKeySet();
  const token = await sign(goodClaims(), "ES256", keyPairs.p256.privateKey);
  const { isRevoked } = await asked(authenticator, token);
  await publish(["one"], { bob: frozenSeconds + 1 });
  expect(isRevoked()).toBe(false);
  await publish(["two"]);
  expect(isRevoked()).toBe(true);
});

test("a revocation ends the account's earlier tokens, not later ones or those of other accounts", async () => {
  const { authenticator, publish, pass } = await withKeySet();
  const [alice, bob] = [await tokenOf("alice"), await tokenOf("bob")];
  const sessions = [await asked(authenticator, alice), await asked(authenticator, bob)];
  await publish(["one"], { alice: frozenSeconds + 1 });
  expect(sessions.map(({ isRevoked }) => isRevoked())).toEqual([true, false]);
  await expect(asked(authenticator, alice)).rejects.toMatchObject({ code: "invalid-jwt", status: 400 });
  pass(1_000);
  const renewed = await tokenOf("alice", { iat: frozenSeconds + 1 });
  expect((await asked(authenticator, renewed)).isRevoked()).toBe(false);
  expect((await asked(authenticator, bob)).isRevoked()).toBe(false);
});

test("a revocation of * ends the earlier tokens of all accounts", async () => {
  const { authenticator, publish } = await withKeySet();
  const sessions = [
    await asked(authenticator, await tokenOf("alice")),
    await asked(authenticator, await tokenOf("constructor")),
  ];
  await publish(["one"], { "*": frozenSeconds + 1, alice: frozenSeconds - 100 });
  expect(sessions.map(({ isRevoked }) => isRevoked())).toEqual([true, true]);
});

test("notifies its listeners of each change and of nothing else", async () => {
  const { authenticator, publish } = await withKeySet();
  const listener = vi.fn<() => void>();
  authenticator.onRevocation(listener);
  await publish(["one"]);
  expect(listener).toHaveBeenCalledTimes(0);
  await publish(["one", "two"]);
  await publish(["one", "two"], { alice: 1 });
  expect(listener).toHaveBeenCalledTimes(2);
});

test("with the largest clock tolerance, a revoked token is rejected until it has expired", async () => {
  const skewed = jwtSettingsSchema.parse({ jwk_url: "http://keys.example/jwks", issuer, audience, allowed_skew: 30 });
  const { authenticator, publish, pass, now } = await withKeySet({ jwt: skewed });
  const exp = frozenSeconds + 100;
  // Stamped by a clock that is 30 seconds ahead.
  const token = await tokenOf("alice", { iat: frozenSeconds + 30, exp });
  expect((await asked(authenticator, token)).isRevoked()).toBe(false);
  await publish(["one"], { alice: frozenSeconds + 33 });
  const reasons = new Set<string>();
  for (; now() < (exp + 40) * 1000; pass(5_000))
    reasons.add(
      await asked(authenticator, token).then(
        () => "accepted",
        (error: Error) => error.message,
      ),
    );
  expect(reasons).toEqual(new Set(["Could not verify JWT: JWTRevoked", "Could not verify JWT: JWTExpired"]));
});
