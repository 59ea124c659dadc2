/** Tokens of every algorithm with every key of a set, broken signatures, and clocks: only the right ones are accepted. */
import { createHmac, generateKeyPairSync, sign, type KeyObject } from "node:crypto";
import { exportJWK } from "jose";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  audience,
  encodeSegment,
  frozenNow,
  frozenSeconds,
  goodClaims,
  issuer,
  keyPairs,
} from "../lifecycle/testing/tokens.ts";
import { EngineError } from "../errors.ts";
import { type Authenticator, createAuthenticator } from "./authenticator.ts";
import { jwtSettingsSchema } from "./jwt-settings.ts";

const secret = "0123456789abcdef0123456789abcdef";
const weak = generateKeyPairSync("rsa", { modulusLength: 1024 });
const pairs = { rsa: keyPairs.rsa, p256: keyPairs.p256, p384: keyPairs.p384, ed: keyPairs.ed25519, weak } as const;
const published = { RS256: "rsa", ES256: "p256", ES384: "p384", EdDSA: "ed" } as const;
type Algorithm = keyof typeof published;
const algorithms = Object.keys(published) as Algorithm[];

let authenticator: Authenticator;
beforeAll(async () => {
  const keys = await Promise.all(
    Object.entries(pairs).map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid, use: "sig" })),
  );
  const encrypting = { ...(await exportJWK(keyPairs.foreignP256.publicKey)), kid: "enc", use: "enc" };
  const shared = { kty: "oct", kid: "oct", k: Buffer.from(secret).toString("base64url") };
  authenticator = await createAuthenticator({
    adminSecret: { current: "x".repeat(40) },
    adminSecretHeaders: [],
    longestTokenLife: 900,
    now: () => frozenNow,
    jwt: jwtSettingsSchema.parse({ jwk_url: "http://keys.example/", issuer, audience, allowed_skew: 1 }),
    fetch: async () => Response.json({ keys: [...keys, encrypting, shared] }),
  });
});
afterAll(() => authenticator.close());

const unsigned = (header: object, claims: object = {}): string =>
  `${encodeSegment(header)}.${encodeSegment({ ...goodClaims(), ...claims })}`;

function signature(text: string, by: Algorithm, key: KeyObject): string {
  const hash = { RS256: "sha256", ES256: "sha256", ES384: "sha384", EdDSA: null }[by];
  return sign(hash, Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
}

function signed(header: object, by: Algorithm, claims: object = {}, key = pairs[published[by]].privateKey): string {
  const text = unsigned(header, claims);
  return `${text}.${signature(text, by, key)}`;
}

/** `accepted`, or the code of the refusal. */
async function verdict(token: string): Promise<string> {
  try {
    await authenticator.authenticate({ authorization: `Bearer ${token}` });
    return "accepted";
  } catch (error) {
    return error instanceof EngineError ? error.code : String(error);
  }
}

/** Verdicts other than a refusal. */
async function accepted(tokens: Readonly<Record<string, string>>): Promise<string[]> {
  const verdicts = await Promise.all(
    Object.entries(tokens).map(async ([name, token]) => `${name}: ${await verdict(token)}`),
  );
  return verdicts.filter((one) => !one.endsWith(": invalid-jwt"));
}

test.each(algorithms)("accepts %s with its key", async (alg) => {
  expect(await verdict(signed({ alg, kid: published[alg] }, alg))).toBe("accepted");
});

test("rejects every other pair of algorithm, key and name of a key", async () => {
  const labels = "RS256 RS384 RS512 PS256 ES256 ES384 ES512 EdDSA Ed25519 HS256 none RS1 es256 dir RSA-OAEP".split(" ");
  const names = [...Object.keys(pairs), "oct", "enc", "unknown", 5, null, {}, ["p256"], "", "p256\0", "P256"];
  const isSame = (label: string, by: string): boolean => label === by || (label === "Ed25519" && by === "EdDSA");
  const tokens = labels.flatMap((alg) =>
    algorithms.flatMap((by) =>
      names
        .filter((kid) => !(isSame(alg, by) && kid === published[by]))
        .map((kid) => [`${alg} by ${by} as ${JSON.stringify(kid)}`, signed({ alg, kid }, by)] as const),
    ),
  );
  expect(tokens.length).toBeGreaterThan(700);
  expect(await accepted(Object.fromEntries(tokens))).toEqual([]);
});

test("rejects weak keys, keys for encryption, published shared secrets and broken signatures", async () => {
  const tokens: Record<string, string> = {
    weak: signed({ alg: "RS256", kid: "weak" }, "RS256", {}, weak.privateKey),
    encrypting: signed({ alg: "ES256", kid: "enc" }, "ES256", {}, keyPairs.foreignP256.privateKey),
  };
  const pem = keyPairs.p256.publicKey.export({ type: "spki", format: "pem" }).toString();
  for (const kid of ["oct", "p256", "rsa"])
    for (const key of [secret, pem]) {
      const text = unsigned({ alg: "HS256", kid });
      tokens[`HMAC ${kid} ${key.length}`] = `${text}.${createHmac("sha256", key).update(text).digest("base64url")}`;
    }
  for (const [alg, length] of [
    ["ES256", 64],
    ["ES384", 96],
    ["EdDSA", 64],
    ["RS256", 256],
  ] as const)
    for (const byte of [0, 1, 255])
      for (const bytes of [0, 1, length - 1, length, length + 1])
        tokens[`${alg} ${byte} ${bytes}`] =
          `${unsigned({ alg, kid: published[alg] })}.${Buffer.alloc(bytes, byte).toString("base64url")}`;
  expect(await accepted(tokens)).toEqual([]);
});

const now = frozenSeconds;

test.each([
  { iat: now + 1 },
  { nbf: now + 1 },
  { exp: now },
  { iat: now - 900, exp: now + 1 },
  { nbf: -1e308 },
  { aud: [audience, "another"] },
])("accepts %j with a skew of a second", async (claims) => {
  expect(await verdict(signed({ alg: "ES256", kid: "p256" }, "ES256", claims))).toBe("accepted");
});

test("rejects clocks beyond the skew, and claims of another type", async () => {
  const claims = [
    { iat: now + 2 },
    { nbf: now + 2 },
    { exp: now - 1 },
    { iat: now - 900, exp: now + 2 },
    { exp: now + 902 },
    { iat: 0.5 },
    { iat: -1 },
    { iat: null },
    { iat: "1" },
    { iat: now + 3e9 },
    { iat: -1e308 },
    { exp: null },
    { exp: true },
    { exp: [now + 5] },
    { exp: 1e308 },
    { exp: -1e308 },
    { nbf: null },
    { nbf: {} },
    { aud: [] },
    { aud: "" },
    { aud: { 0: audience } },
    { aud: [[audience]] },
    { iss: [issuer] },
    { iss: `${issuer}/` },
    { iss: issuer.toUpperCase() },
    { sub: ["a"] },
  ];
  const tokens = claims.map((one) => [JSON.stringify(one), signed({ alg: "ES256", kid: "p256" }, "ES256", one)]);
  expect(await accepted(Object.fromEntries(tokens) as Record<string, string>)).toEqual([]);
});
