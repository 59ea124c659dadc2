/**
 * Settings of tokens, signing keys and login work: a section of the list in list.ts.
 * @module
 */
import { range } from "./checks.ts";
import { number } from "./setting.ts";
import { sidecarNumber, sidecarTextWithDefault } from "./sidecar-settings.ts";

export const tokenSettings = {
  tokenAlgorithm: sidecarTextWithDefault("TOKEN_ALGORITHM"),
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
