import { expect, test } from "vitest";
import { isKnownSecret, secretWeakness } from "./weak-secrets.ts";

test.each([
  "changeme",
  "Change-Me",
  "password",
  "Password1",
  "password123456789",
  "changemechangemechangemechangeme",
  "my-secret",
  "HASURA",
  "postgres",
])("%s is a known default", (secret) => {
  expect(isKnownSecret(secret)).toBe(true);
  expect(secretWeakness(secret, 4)).toBe("is a known default or example value");
});

test.each([
  ["7fK2", "must have at least 32 characters"],
  ["ab".repeat(16), "repeats too few different characters"],
  ["0123456789abcdefghijklmnopqrstuv", "is a plain sequence of characters"],
  ["zyxwvutsrqponmlkjihgfedcba987654", "is a plain sequence of characters"],
  ["", "must have at least 32 characters"],
])("%s %s", (secret, weakness) => {
  expect(secretWeakness(secret, 32)).toBe(weakness);
});

test.each([
  "f3a9d1c07b5e4826a1c9e07d35b8f264",
  "correct horse battery staple 42 x",
  "Zm9vYmFyYmF6cXV4Zm9vYmFyYmF6cXV4",
])("%s is acceptable", (secret) => {
  expect(secretWeakness(secret, 32)).toBeUndefined();
});
