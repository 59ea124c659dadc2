/** Argon2id with the minimum parameters of OWASP's Password Storage Cheat Sheet. */
import { hash, hashRaw, parseOptions, verify } from "@node-rs/argon2";
import { Unavailable } from "../errors.ts";

/** `algorithm` 2 is Argon2id; memory in KiB. */
export const passwordHashParameters = {
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
  outputLen: 32,
} as const;

/** RFC 9106, 3.1, for one lane. */
const leastMemoryCost = 8;

/** Longest password in UTF-8 bytes; limits the work that an attacker can cause (ASVS 6.2.9). */
export const longestPassword = 1024;

/** @returns the hash in PHC format @throws {Unavailable} when there is not enough memory */
export async function hashPassword(password: string): Promise<string> {
  try {
    return await hash(password, passwordHashParameters);
  } catch (error) {
    throw new Unavailable("memory", error);
  }
}

/** False also for a hash that is not in PHC format. @throws {Unavailable} when there is not enough memory, for any password */
export async function verifyPassword(passwordHash: string, password: string): Promise<boolean> {
  try {
    return await verify(passwordHash, password);
  } catch (error) {
    if (optionsOf(passwordHash) === undefined) return false;
    throw new Unavailable("memory", error);
  }
}

/** Adds the work by which this hash is cheaper to verify than one with today's parameters. @throws {Unavailable} without memory */
export async function spendMissingWork(passwordHash: string): Promise<void> {
  const missing = work(passwordHashParameters) - work(optionsOf(passwordHash) ?? { memoryCost: 0, timeCost: 0 });
  const memoryCost = Math.floor(missing / work({ ...passwordHashParameters, memoryCost: 1 }));
  if (memoryCost < leastMemoryCost) return;
  try {
    await hashRaw("", { ...passwordHashParameters, memoryCost });
  } catch (error) {
    throw new Unavailable("memory", error);
  }
}

/** In passes over one kibibyte. Allocating the memory costs about half a pass. */
function work({ memoryCost, timeCost }: { readonly memoryCost: number; readonly timeCost: number }): number {
  return memoryCost * (timeCost + 0.5);
}

/** True for a hash with less work than today's parameters, or with another algorithm. */
export function isOutdated(passwordHash: string): boolean {
  const options = optionsOf(passwordHash);
  if (options === undefined) return true;
  const { algorithm, memoryCost, timeCost, parallelism, outputLen } = options;
  const now = passwordHashParameters;
  return (
    (algorithm as number) !== now.algorithm ||
    memoryCost < now.memoryCost ||
    timeCost < now.timeCost ||
    parallelism < now.parallelism ||
    outputLen < now.outputLen
  );
}

/** Parameters of a hash, or undefined when it is not in PHC format. */
function optionsOf(passwordHash: string): ReturnType<typeof parseOptions> | undefined {
  try {
    return parseOptions(passwordHash);
  } catch {
    return undefined;
  }
}
