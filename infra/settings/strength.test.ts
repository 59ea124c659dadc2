import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { strongSecret } from "./strength.ts";

const { check } = strongSecret(32);

test("accepts random secrets of sufficient length", () => {
  for (let round = 0; round < 200; round += 1) {
    expect(check(randomBytes(16).toString("hex"))).toBeUndefined();
    expect(check(randomBytes(24).toString("base64url"))).toBeUndefined();
  }
});

test.each([
  ["too short", "k3Jx9vQ2mZ7pL4wR8tYb1nC6sD5fG0h"],
  ["a published example, repeated to length", "myadminsecretkeymyadminsecretkey"],
  ["a word with digits behind", "changeme0000000000000000000000000"],
  ["few different characters", "abababababababababababababababab"],
  ["a sequence", "abcdefghijklmnopqrstuvwxyz012345"],
  ["a blank inside", "k3Jx9vQ2mZ7pL4wR 8tYb1nC6sD5fG0hT"],
  ["a line break", "k3Jx9vQ2mZ7pL4wR8tYb1nC6sD5fG0hT\n"],
  ["other than ASCII", "k3Jx9vQ2mZ7pL4wR8tYb1nC6sD5fG0hé"],
  ["nothing", ""],
])("rejects a secret that is %s without quoting it", (_reason, value) => {
  const problem = check(value);
  expect(problem).toBeDefined();
  if (value !== "") expect(problem).not.toContain(value.trim());
});
