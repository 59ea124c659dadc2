import { calculateJwkThumbprint } from "jose";
import { expect, test } from "vitest";
import { generateSigningKey } from "./signing-key.ts";

test("a new key is P-256, named by its thumbprint, and its public form says all that a verifier asks for and no more", async () => {
  const { publicJwk, privateKey } = await generateSigningKey();
  expect(Object.keys(publicJwk).sort()).toEqual(["alg", "crv", "kid", "kty", "use", "x", "y"]);
  expect(publicJwk).toMatchObject({ kty: "EC", crv: "P-256", alg: "ES256", use: "sig", kid: await calculateJwkThumbprint(publicJwk) });
  expect(privateKey.type).toBe("private");
});
