import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { hash } from "@node-rs/argon2";
import { describe, expect, test } from "vitest";
import { hashPassword, isOutdated, passwordHashParameters, verifyPassword } from "./password-hash.ts";

test("a hash is salted Argon2id with 19 MiB, two passes and one lane", async () => {
  const [one, two] = await Promise.all([hashPassword("pässword"), hashPassword("pässword")]);
  expect(one).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  expect(one).not.toBe(two);
  expect(await verifyPassword(one, "pässword")).toBe(true);
  expect(await verifyPassword(one, "pa\u0308ssword")).toBe(false);
  expect(await verifyPassword(one, "")).toBe(false);
});

test.each(["", "plain", "$2b$10$abcdefghijklmnopqrstuv", "$argon2id$v=19$m=19456,t=2,p=1$", "<REDUCTED>"])(
  "%j, which is no such hash, verifies nothing",
  async (stored) => {
    expect(await verifyPassword(stored, stored)).toBe(false);
    expect(isOutdated(stored)).toBe(true);
  },
);

describe("a hash is outdated", () => {
  test.each([
    ["with less memory", { memoryCost: 19_455 }, true],
    ["with fewer passes", { timeCost: 1 }, true],
    ["with another variant", { algorithm: 1 }, true],
    ["not with today's parameters", {}, false],
    ["not with more of both", { memoryCost: 32_768, timeCost: 3 }, false],
  ])("%s", async (_title, options, outdated) => {
    expect(isOutdated(await hash("password", { ...passwordHashParameters, ...options }))).toBe(outdated);
  });
});

test("reports a hash without memory as an outage, not as a wrong password", async () => {
  // Four tebibytes, in a process limited to forty gibibytes.
  const stored = "$argon2id$v=19$m=4294967295,t=1,p=1$c2FsdHNhbHRzYWx0$c2FsdHNhbHRzYWx0c2FsdHNhbHRzYWx0c2FsdA";
  const script = `
    const { verifyPassword } = await import(${JSON.stringify(new URL("password-hash.ts", import.meta.url).href)});
    console.log(await verifyPassword(${JSON.stringify(stored)}, "password").catch((error) => error.code + ": " + error.cause.message));`;
  const limited = [
    "-c",
    'ulimit -v 41943040 && exec "$0" "$@"',
    process.execPath,
    "--input-type=module",
    "--eval",
    script,
  ];
  const { stdout } = await promisify(execFile)("sh", limited);
  expect(stdout.trim()).toBe("unavailable: Memory allocation error");
});
