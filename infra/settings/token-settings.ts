/**
 * The settings of tokens, their keys and the work of logins, as the auth sidecar has them (auth-sidecar/src/settings.ts, which
 * refuses the same values): part of the list in list.ts.
 * @module
 */
import { signingAlgorithms } from "@routeql/auth-sidecar/keys/signing-key";
import { oneOf, range } from "./checks.ts";
import { number, text } from "./setting.ts";
import { sidecarNumber } from "./sidecar-check.ts";

export const tokenSettings = {
  tokenAlgorithm: text({
    environment: "TOKEN_ALGORITHM",
    default: "ES256",
    meaning: "Signature algorithm of access tokens. A change rotates the signing key without rejected tokens.",
    ...oneOf(...signingAlgorithms),
  }),
  keyRotationHours: sidecarNumber("KEY_ROTATION_HOURS"),
  keyEncryptionKeyGeneration: number({
    environment: "KEY_ENCRYPTION_KEY_GENERATION",
    default: 1,
    meaning:
      "Generation of the key that encrypts signing keys in the database. Raise it by one to rotate that key; never lower it.",
    ...range(1, 1000),
  }),
  loginWindowSeconds: sidecarNumber("LOGIN_WINDOW_SECONDS"),
  passwordHashConcurrency: sidecarNumber("PASSWORD_HASH_CONCURRENCY"),
  passwordHashQueue: sidecarNumber("PASSWORD_HASH_QUEUE"),
} as const;
