import { calculateJwkThumbprint } from "jose";
import { expect, test } from "vitest";
import { generateSigningKey } from "./signing-key.ts";

test.each([
  ["ES256", ["alg", "crv", "kid", "kty", "use", "x", "y"], { kty: "EC", crv: "P-256" }],
  ["EdDSA", ["alg", "crv", "kid", "kty", "use", "x"], { kty: "OKP", crv: "Ed25519" }],
  ["RS256", ["alg", "e", "kid", "kty", "n", "use"], { kty: "RSA", e: "AQAB" }],
] as const)(
  "a new key for %s has its thumbprint as id and exactly the required public members",
  async (alg, members, form) => {
    const { publicJwk, privateKey } = await generateSigningKey(alg);
    expect(Object.keys(publicJwk).sort()).toEqual(members);
    expect(publicJwk).toMatchObject({ ...form, alg, use: "sig", kid: await calculateJwkThumbprint(publicJwk) });
    expect(privateKey.type).toBe("private");
  },
);

test("creates no key id that looks like a command line option", async () => {
  const keys = await Promise.all(Array.from({ length: 500 }, () => generateSigningKey("EdDSA")));
  expect(keys.filter(({ publicJwk }) => publicJwk.kid.startsWith("-"))).toEqual([]);
});
