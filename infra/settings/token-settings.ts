/**
 * The settings of tokens, their keys and the work of logins, as the auth sidecar has them (auth-sidecar/src/settings.ts, which
 * refuses the same values): part of the list in list.ts.
 * @module
 */
import { signingAlgorithms } from "../../auth-sidecar/src/keys/signing-key.ts";
import { oneOf, range } from "./checks.ts";
import { number, text } from "./setting.ts";

export const tokenSettings = {
  tokenAlgorithm: text({
    environment: "TOKEN_ALGORITHM",
    default: "ES256",
    meaning: "Signature of access tokens. A change rotates the signing key; no token is refused meanwhile.",
    ...oneOf(...signingAlgorithms),
  }),
  keyRotationHours: number({
    environment: "KEY_ROTATION_HOURS",
    default: 720,
    meaning: "Hours after which the signing key is replaced by itself; 0 for never.",
    ...range(0, 8784),
  }),
  keyEncryptionKeyGeneration: number({
    environment: "KEY_ENCRYPTION_KEY_GENERATION",
    default: 1,
    meaning:
      "Which of the generated keys encrypts the private signing keys in the database. Raised by one, the next is made and the signing keys are stored again under it; never lowered.",
    ...range(1, 1000),
  }),
  loginWindowSeconds: number({
    environment: "LOGIN_WINDOW_SECONDS",
    default: 900,
    meaning: "Seconds in which failed logins count, and the longest time that a refusal lasts.",
    ...range(60, 86_400),
  }),
  passwordHashConcurrency: number({
    environment: "PASSWORD_HASH_CONCURRENCY",
    default: 2,
    meaning: "Password hashes that the auth sidecar computes at the same time; each takes a core and 19 MiB.",
    ...range(1, 16),
  }),
  passwordHashQueue: number({
    environment: "PASSWORD_HASH_QUEUE",
    default: 64,
    meaning: "Logins that may wait for a password hash; more are answered 429.",
    ...range(0, 10_000),
  }),
} as const;
