import { createSecretKey, type KeyObject } from "node:crypto";
import { createLocalJWKSet, exportJWK, type JWTVerifyGetKey } from "jose";
import { describe, expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import {
  audience,
  encodeSegment,
  forge,
  frozenNow,
  frozenSeconds,
  goodClaims,
  hmacSecret,
  issuer,
  keyPairs,
  pem,
  sign,
} from "../lifecycle/testing/tokens.ts";
import { jwtSettingsSchema, type KeyType } from "./jwt-settings.ts";
import { importStaticKey } from "./verification-keys.ts";
import { createTokenVerifier, type TokenVerifier } from "./token-verifier.ts";

interface VerifierInput {
  readonly type: KeyType;
  readonly key: string;
  readonly more?: object;
  readonly lax?: boolean;
  readonly longestLife?: number;
}

function verifier({ type, key, more, lax = false, longestLife = 0 }: VerifierInput): TokenVerifier {
  const settings = jwtSettingsSchema.parse({ type, key, issuer, audience, ...more });
  return createTokenVerifier({ settings, key: importStaticKey(type, key), lax, longestLife, now: () => frozenNow });
}

async function refusal(verify: TokenVerifier, token: string): Promise<string> {
  const outcome: unknown = await verify(token).catch((error: unknown) => error);
  if (outcome instanceof EngineError && outcome.code === "invalid-jwt")
    return outcome.message.replace("Could not verify JWT: ", "");
  throw new Error("the token was not refused", { cause: outcome });
}

const secretKey = createSecretKey(Buffer.from(hmacSecret));
const keyTypes: [KeyType, string, KeyObject, string][] = [
  ["HS256", "HS256", secretKey, hmacSecret],
  ["HS384", "HS384", secretKey, hmacSecret],
  ["HS512", "HS512", secretKey, hmacSecret],
  ["RS256", "RS256", keyPairs.rsa.privateKey, pem(keyPairs.rsa.publicKey)],
  ["RS384", "RS384", keyPairs.rsa.privateKey, pem(keyPairs.rsa.publicKey)],
  ["RS512", "RS512", keyPairs.rsa.privateKey, pem(keyPairs.rsa.publicKey)],
  ["ES256", "ES256", keyPairs.p256.privateKey, pem(keyPairs.p256.publicKey)],
  ["ES384", "ES384", keyPairs.p384.privateKey, pem(keyPairs.p384.publicKey)],
  ["ES512", "ES512", keyPairs.p521.privateKey, pem(keyPairs.p521.publicKey)],
  ["Ed25519", "EdDSA", keyPairs.ed25519.privateKey, pem(keyPairs.ed25519.publicKey)],
];

describe.each(keyTypes)("key type %s", (type, algorithm, privateKey, key) => {
  test("verifies its own algorithm", async () => {
    await expect(verifier({ type, key })(await sign(goodClaims(), algorithm, privateKey))).resolves.toMatchObject({
      sub: "user-1",
    });
  });

  test("rejects every other algorithm, also with keys of its own kind", async () => {
    for (const [, other, otherKey] of keyTypes.filter((row) => row[1] !== algorithm)) {
      const reason = await refusal(verifier({ type, key }), await sign(goodClaims(), other, otherKey));
      expect([other, reason]).toEqual([other, "JWSError AlgorithmNotAllowed"]);
    }
  });

  test("rejects a token without signature", async () => {
    for (const alg of ["none", "None", "NONE", ""]) {
      expect(await refusal(verifier({ type, key }), forge({ alg }, goodClaims()))).toMatch(/^JWSError /);
    }
    expect(await refusal(verifier({ type, key }), forge({ alg: algorithm }, goodClaims()))).toBe(
      "JWSError JWSInvalidSignature",
    );
  });

  test("rejects a changed payload", async () => {
    const [header, , signature] = (await sign(goodClaims(), algorithm, privateKey)).split(".");
    const changed = `${header ?? ""}.${encodeSegment({ ...goodClaims(), sub: "user-2" })}.${signature ?? ""}`;
    expect(await refusal(verifier({ type, key }), changed)).toBe("JWSError JWSInvalidSignature");
  });
});

test("rejects RS256 to HS256 confusion: a public key is not an HMAC secret", async () => {
  const key = pem(keyPairs.rsa.publicKey);
  expect(await refusal(verifier({ type: "RS256", key }), forge({ alg: "HS256" }, goodClaims(), key))).toBe(
    "JWSError AlgorithmNotAllowed",
  );
});

test("rejects a foreign key of the right type", async () => {
  const token = await sign(goodClaims(), "ES256", keyPairs.foreignP256.privateKey);
  expect(await refusal(verifier({ type: "ES256", key: pem(keyPairs.p256.publicKey) }), token)).toBe(
    "JWSError JWSInvalidSignature",
  );
});

test.each(["jku", "x5u", "jwk"])("ignores a key that the token itself provides by %s", async (parameter) => {
  const foreign = { ...(await exportJWK(keyPairs.foreignP256.publicKey)) };
  const { SignJWT } = await import("jose");
  const token = await new SignJWT(goodClaims())
    .setProtectedHeader({ alg: "ES256", [parameter]: parameter === "jwk" ? foreign : "https://attacker.example/keys" })
    .sign(keyPairs.foreignP256.privateKey);
  expect(await refusal(verifier({ type: "ES256", key: pem(keyPairs.p256.publicKey) }), token)).toBe(
    "JWSError JWSInvalidSignature",
  );
});

const hs256: VerifierInput = { type: "HS256", key: hmacSecret };
const parts = (count: number): string =>
  `JWSError (CompactDecodeError Invalid number of parts: Expected 3 parts; got ${String(count)})`;
const header = encodeSegment({ alg: "HS256" });

test.each<[string, string, string | RegExp]>([
  ["empty", "", parts(1)],
  ["one word", "token", parts(1)],
  ["two parts", `${header}.e30`, parts(2)],
  ["four parts", `${header}.e30.x.y`, parts(4)],
  ["five parts, as a JWE has", "a.b.c.d.e", parts(5)],
  ["only dots", "..", /^JWSError /],
  ["a header that is not base64url", `!!!.e30.x`, /^JWSError /],
  ["a header that is not JSON", `${encodeSegment("nonsense")}.e30.x`, /^JWSError /],
  ["a header that is a list", `${encodeSegment("[]")}.e30.x`, /^JWSError /],
  ["a header that is null", `${encodeSegment("null")}.e30.x`, /^JWSError /],
  ["a header without alg", `${encodeSegment({ typ: "JWT" })}.e30.x`, /^JWSError /],
  ["a header with a numeric alg", `${encodeSegment({ alg: 256 })}.e30.x`, /^JWSError /],
  ["an unknown critical parameter", forge({ alg: "HS256", crit: ["x"], x: 1 }, goodClaims(), hmacSecret), /^JWSError /],
  ["a payload that is not JSON", forge({ alg: "HS256" }, "nonsense", hmacSecret), /^JWSError /],
  ["a payload that is a list", forge({ alg: "HS256" }, [], hmacSecret), /^JWSError /],
  ["a payload that is null", forge({ alg: "HS256" }, null, hmacSecret), /^JWSError /],
  ["a signature that is not base64url", `${header}.${encodeSegment(goodClaims())}.!!!`, /^JWSError /],
  [
    "an exp that is a string",
    forge({ alg: "HS256" }, { ...goodClaims(), exp: "tomorrow" }, hmacSecret),
    "claim exp is malformed",
  ],
  [
    "an nbf that is a string",
    forge({ alg: "HS256" }, { ...goodClaims(), nbf: "today" }, hmacSecret),
    "claim nbf is malformed",
  ],
  [
    "a sub that is a number",
    forge({ alg: "HS256" }, { ...goodClaims(), sub: 12 }, hmacSecret),
    "claim sub is malformed",
  ],
  [
    "a jti that is an object",
    forge({ alg: "HS256" }, { ...goodClaims(), jti: {} }, hmacSecret),
    "claim jti is malformed",
  ],
  ["an iat that is a string", forge({ alg: "HS256" }, { ...goodClaims(), iat: "today" }, hmacSecret), /iat|JSON/],
])("rejects a token that is %s", async (_title, token, reason) => {
  expect(await refusal(verifier(hs256), token)).toMatch(reason);
});

test.each<[string, object, string]>([
  ["exp", { exp: undefined }, "claim exp is missing"],
  ["iss", { iss: undefined }, "claim iss is missing"],
  ["aud", { aud: undefined }, "claim aud is missing"],
])("strict: rejects a token without %s", async (_claim, change, reason) => {
  expect(await refusal(verifier(hs256), await sign({ ...goodClaims(), ...change }, "HS256", secretKey))).toBe(reason);
});

test("rejects a token whose iat is in the future beyond the allowed skew", async () => {
  const early = await sign({ ...goodClaims(), iat: frozenSeconds + 30 }, "HS256", secretKey);
  expect(await refusal(verifier(hs256), early)).not.toBe("");
  await expect(verifier({ ...hs256, more: { allowed_skew: 60 } })(early)).resolves.toBeDefined();
});

describe("with a longest life of 900 s and a skew of 10 s", () => {
  const bounded = { ...hs256, more: { allowed_skew: 10 }, longestLife: 900 };
  const signed = (claims: object) => sign({ ...goodClaims(), ...claims }, "HS256", secretKey);

  test.each([
    ["900 s", { exp: frozenSeconds + 900 }],
    ["900 s and the skew", { exp: frozenSeconds + 910 }],
  ])("accepts a token that lives %s", async (_title, claims) => {
    await expect(verifier(bounded)(await signed(claims))).resolves.toMatchObject(claims);
  });

  test.each([
    ["lives a second longer", { exp: frozenSeconds + 911 }, /^the time from iat to exp is longer than 900 s/],
    ["lives ten years", { exp: frozenSeconds + 315_360_000 }, /longer than 900 s/],
    ["never ends in effect", { exp: 1e300 }, /longer than 900 s/],
    ["was issued long ago and still lives", { iat: 1, exp: frozenSeconds + 60 }, /longer than 900 s/],
    ["was issued before time", { iat: -1e300, exp: frozenSeconds + 60 }, /longer than 900 s/],
    ["has no iat", { iat: undefined }, /^claim iat is missing$/],
    ["has no exp", { exp: undefined }, /^claim exp is missing$/],
  ])("rejects a token that %s", async (_title, claims, reason) => {
    expect(await refusal(verifier(bounded), await signed(claims))).toMatch(reason);
  });

  test("rejects an exp beyond the range of numbers", async () => {
    const claims = JSON.stringify({ ...goodClaims(), exp: 0 }).replace('"exp":0', '"exp":1e999');
    expect(await refusal(verifier(bounded), forge({ alg: "HS256" }, claims, hmacSecret))).toMatch(/longer than|exp/);
  });

  test("lax: accepts any life, as Hasura does", async () => {
    const lax = verifier({ ...bounded, lax: true });
    await expect(lax(await signed({ exp: 1e300, iat: undefined }))).resolves.toBeDefined();
  });
});

test("lax: checks only the claims that a token has", async () => {
  const verify = verifier({ ...hs256, lax: true });
  const bare = { ...goodClaims(), exp: undefined, iss: undefined, aud: undefined };
  await expect(verify(await sign(bare, "HS256", secretKey))).resolves.toMatchObject({ sub: "user-1" });
  expect(await refusal(verify, await sign({ ...goodClaims(), exp: frozenSeconds }, "HS256", secretKey))).toBe(
    "JWTExpired",
  );
  expect(await refusal(verify, await sign({ ...goodClaims(), iss: "other" }, "HS256", secretKey))).toBe(
    "JWTNotInIssuer",
  );
  expect(await refusal(verify, await sign({ ...goodClaims(), aud: "other" }, "HS256", secretKey))).toBe(
    "JWTNotInAudience",
  );
});

test.each([
  [0, frozenSeconds + 1, true],
  [0, frozenSeconds, false],
  [30, frozenSeconds - 29, true],
  [30, frozenSeconds - 30, false],
])("with a skew of %i s, a token with exp %i is accepted: %s", async (allowedSkew, exp, accepted) => {
  const verify = verifier({ ...hs256, more: { allowed_skew: allowedSkew } });
  const outcome = verify(await sign({ ...goodClaims(), exp }, "HS256", secretKey)).then(
    () => true,
    () => false,
  );
  expect(await outcome).toBe(accepted);
});

test("one matching audience is enough, on both sides", async () => {
  const verify = verifier({ ...hs256, more: { audience: ["a", "b"] } });
  await expect(verify(await sign({ ...goodClaims(), aud: ["b", "c"] }, "HS256", secretKey))).resolves.toBeDefined();
  expect(await refusal(verify, await sign({ ...goodClaims(), aud: ["c"] }, "HS256", secretKey))).toBe(
    "JWTNotInAudience",
  );
});

describe("with a key set", () => {
  const settings = jwtSettingsSchema.parse({ jwk_url: "http://keys.example/jwks", issuer, audience });
  const verifyWith = (key: JWTVerifyGetKey): TokenVerifier =>
    createTokenVerifier({ settings, key, lax: false, longestLife: 0, now: () => frozenNow });

  test("rejects shared secrets, even when they are the text of a published key", async () => {
    const jwk = { ...(await exportJWK(keyPairs.p256.publicKey)), kid: "one" };
    const verify = verifyWith(createLocalJWKSet({ keys: [jwk] }));
    expect(await refusal(verify, forge({ alg: "HS256", kid: "one" }, goodClaims(), JSON.stringify(jwk)))).toBe(
      "JWSError AlgorithmNotAllowed",
    );
  });

  test("verifies a token without kid against every suitable key", async () => {
    const keys = [await exportJWK(keyPairs.foreignP256.publicKey), await exportJWK(keyPairs.p256.publicKey)];
    const verify = verifyWith(createLocalJWKSet({ keys }));
    await expect(verify(await sign(goodClaims(), "ES256", keyPairs.p256.privateKey))).resolves.toMatchObject({
      sub: "user-1",
    });
    const onlyForeign = verifyWith(createLocalJWKSet({ keys: [keys[0] ?? {}, keys[0] ?? {}] }));
    expect(await refusal(onlyForeign, await sign(goodClaims(), "ES256", keyPairs.p256.privateKey))).toBe(
      "JWSError JWSInvalidSignature",
    );
  });

  test("rejects an unknown kid", async () => {
    const verify = verifyWith(
      createLocalJWKSet({ keys: [{ ...(await exportJWK(keyPairs.p256.publicKey)), kid: "one" }] }),
    );
    expect(await refusal(verify, await sign(goodClaims(), "ES256", keyPairs.p256.privateKey, "two"))).toBe(
      "JWSError JWSInvalidSignature",
    );
  });
});
