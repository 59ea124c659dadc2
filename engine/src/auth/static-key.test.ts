import { generateKeyPairSync } from "node:crypto";
import { expect, test } from "vitest";
import { keyPairs, pem } from "../lifecycle/testing/tokens.ts";
import type { KeyType } from "./jwt-settings.ts";
import { importStaticKey } from "./static-key.ts";

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
