import { generateKeyPairSync } from "node:crypto";
import { SignJWT } from "jose";
import { expect, test } from "vitest";
import { keyPairs, pem } from "../lifecycle/testing/tokens.ts";
import { jwtSettingsSchema } from "./jwt-settings.ts";
import { fetchKeySet } from "./key-set.ts";
import { createTokenVerifier } from "./token-verifier.ts";
import { createRemoteKeySet, importStaticKey } from "./verification-keys.ts";

const url = "http://keys.example/jwks";
const jwk = (pair: { readonly publicKey: { export(options: { format: "jwk" }): object } }): object =>
  pair.publicKey.export({ format: "jwk" });
const ed25519 = generateKeyPairSync("ed25519");
const [rsa, p256, ed] = [jwk(keyPairs.rsa), jwk(keyPairs.p256), jwk(ed25519)];
const small = jwk(generateKeyPairSync("rsa", { modulusLength: 1024 }));
const named = (key: object) => ({ ...key, kid: "one" });

const answer =
  (body: unknown): typeof fetch =>
  async () =>
    new Response(JSON.stringify(body));

/** Verifies a token signed by one of the key pairs, against a set of keys. */
async function verify(
  keys: readonly unknown[],
  header: { readonly alg: string; readonly kid?: string },
): Promise<unknown> {
  const signing = { ES256: keyPairs.p256, RS256: keyPairs.rsa }[header.alg]?.privateKey ?? ed25519.privateKey;
  const token = await new SignJWT({ sub: "ada" }).setProtectedHeader(header).setExpirationTime("5m").sign(signing);
  const set = await createRemoteKeySet({ url, fetch: answer({ keys }), now: Date.now, onEvent: () => undefined });
  const settings = jwtSettingsSchema.parse({ jwk_url: url });
  try {
    const { sub } = await createTokenVerifier({ settings, key: set.getKey, lax: true, longestLife: 0, now: Date.now })(
      token,
    );
    // The material behind the token decides whether it is verified again.
    expect(set.material(header.kid)).not.toBe("");
    return sub;
  } finally {
    set.close();
  }
}

test.each<[string, readonly unknown[], { alg: string; kid?: string }]>([
  ["without names, for a token that names one", [rsa], { alg: "RS256", kid: "any" }],
  [
    "with a key of an unknown kind",
    [{ kty: "AKP", alg: "ML-DSA-44", pub: "AA" }, named(rsa)],
    { alg: "RS256", kid: "one" },
  ],
  ["with entries that are no keys", [null, {}, { kty: 7 }, named(rsa)], { alg: "RS256", kid: "one" }],
  ["with a key that has only a certificate", [{ kty: "RSA", x5c: ["AA"] }, rsa], { alg: "RS256" }],
  ["with a key that is too short", [small, rsa], { alg: "RS256" }],
  ["with a point outside of its curve", [{ ...p256, y: "AA" }, p256], { alg: "ES256" }],
  ["with members of another form", [{ ...named(rsa), ext: "true", x5c: ["AA"] }], { alg: "RS256", kid: "one" }],
  [
    "with a key for encryption of the same name",
    [{ ...named(p256), use: "enc" }, named(rsa)],
    { alg: "RS256", kid: "one" },
  ],
  ["with private members", [named(keyPairs.rsa.privateKey.export({ format: "jwk" }))], { alg: "RS256", kid: "one" }],
  ["that names the algorithm as RFC 8037 does", [{ ...ed, alg: "EdDSA" }], { alg: "Ed25519" }],
  ["that names the algorithm as RFC 9864 does", [{ ...ed, alg: "Ed25519" }], { alg: "EdDSA" }],
])("verifies by a set %s", async (_title, keys, header) => {
  expect(await verify(keys, header)).toBe("ada");
});

test("a name that the set lacks verifies no token beside named keys", async () => {
  await expect(verify([named(rsa), rsa], { alg: "RS256", kid: "two" })).rejects.toThrow("JWSInvalidSignature");
});

test("counts the keys that verify no token, and keeps only public members", async () => {
  const keys = [named(keyPairs.rsa.privateKey.export({ format: "jwk" })), small, { kty: "oct", k: "AA" }];
  const { keySet } = await fetchKeySet(url, answer({ keys }), Date.now);
  expect(keySet.unusable).toBe(2);
  expect(keySet.keys).toEqual([named(rsa)]);
});

test.each([
  [[rsa], "keys is missing, or of another form"],
  [rsa, "keys is missing, or of another form"],
  [{ one: "-----BEGIN CERTIFICATE-----" }, "keys is missing, or of another form"],
  [{ keys: [rsa], revoked_before: [1] }, "revoked_before is missing, or of another form"],
  [{ keys: [small] }, "the reply holds no public key"],
])("%j is no key set", async (body, reason) => {
  await expect(fetchKeySet(url, answer(body), Date.now)).rejects.toThrow(reason);
});

const text = pem(keyPairs.rsa.publicKey);

test.each([
  ["line ends as two characters", text.replaceAll("\n", "\\n")],
  ["one line", text.replaceAll("\n", "")],
  ["spaces in place of line ends", text.trim().replaceAll("\n", " ")],
  ["indented lines", text.replaceAll("\n", "\r\n    ")],
])("a key with %s is read", (_title, written) => {
  expect(importStaticKey("RS256", written).equals(keyPairs.rsa.publicKey)).toBe(true);
});

test.each([
  [Buffer.from(text).toString("base64"), "it has no block such as -----BEGIN PUBLIC KEY-----"],
  [JSON.stringify(rsa), "A key set (JWKS) needs jwk_url"],
  [text.replace("-----END PUBLIC KEY-----", ""), "has a block PUBLIC KEY without its end in line 1"],
  [text.replace(/\n.{20}/, "\n"), "has a damaged block PUBLIC KEY in line 1"],
])("another key is refused without repeating it", (written, reason) => {
  expect(() => importStaticKey("RS256", written)).toThrow(reason);
  expect(() => importStaticKey("RS256", written)).not.toThrow(written);
});
