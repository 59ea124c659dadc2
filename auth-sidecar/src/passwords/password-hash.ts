/**
 * Argon2id with the parameters that OWASP's Password Storage Cheat Sheet gives as its minimum.
 * @module
 */
import { hash, parseOptions, verify } from "@node-rs/argon2";

/** `algorithm` 2 is Argon2id; memory in KiB. */
export const passwordHashParameters = { algorithm: 2, memoryCost: 19_456, timeCost: 2, parallelism: 1, outputLen: 32 } as const;

/** Longest password, in UTF-8 bytes; a bound against work that only the attacker chooses (ASVS 6.2.9). */
export const longestPassword = 1024;

/** @returns the hash in PHC form */
export function hashPassword(password: string): Promise<string> {
  return hash(password, passwordHashParameters);
}

/** False also for a hash that is not in PHC form. */
export async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  try {
    return await verify(passwordHash, password);
  } catch {
    return false;
  }
}

/** True when a hash was made with less work than today's parameters, or with another algorithm. */
export function isOutdated(passwordHash: string): boolean {
  try {
    const { algorithm, memoryCost, timeCost, parallelism, outputLen } = parseOptions(passwordHash);
    const now = passwordHashParameters;
    return (
      (algorithm as number) !== now.algorithm ||
      memoryCost < now.memoryCost ||
      timeCost < now.timeCost ||
      parallelism < now.parallelism ||
      outputLen < now.outputLen
    );
  } catch {
    return true;
  }
}
