import { createLocalJWKSet, jwtVerify } from "jose";
import { expect, test } from "vitest";
import { signingAlgorithms } from "@routeql/sidecar-settings/token-algorithm";
import { generateSigningKey } from "../keys/signing-key.ts";
import { signToken } from "./token-issuer.ts";

const claims = { sub: "u1", iat: 1_700_000_000, exp: 4_000_000_000 };

test.each(signingAlgorithms)("a token signed with %s verifies only under its key and keeps its claims", async (alg) => {
  const { publicJwk, privateKey } = await generateSigningKey(alg);
  const other = await generateSigningKey(alg);
  const token = await signToken(claims, publicJwk, privateKey);
  const { payload, protectedHeader } = await jwtVerify(
    token,
    createLocalJWKSet({ keys: [other.publicJwk, publicJwk] }),
  );
  expect(payload).toEqual(claims);
  expect(protectedHeader).toEqual({ alg, typ: "JWT", kid: publicJwk.kid });
  await expect(jwtVerify(token, createLocalJWKSet({ keys: [other.publicJwk] }))).rejects.toThrow("no applicable key");
  await expect(
    jwtVerify(token, createLocalJWKSet({ keys: [{ ...other.publicJwk, kid: publicJwk.kid }] })),
  ).rejects.toThrow("signature verification failed");
});
