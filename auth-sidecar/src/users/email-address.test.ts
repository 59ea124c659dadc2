import { expect, test } from "vitest";
import { emailAddress } from "./email-address.ts";

test.each(["admin@example.net", "First.Last+tag@sub.example.org"])("%s is one", (value) => {
  expect(emailAddress.safeParse(value).success).toBe(true);
});

test.each([
  "",
  "admin",
  "@example.net",
  "a@b",
  "a b@example.net",
  "ä@example.net",
  "a@exämple.net",
  "a\0@example.net",
  `${"a".repeat(250)}@example.net`,
])("%j is none", (value) => {
  expect(emailAddress.safeParse(value).success).toBe(false);
});
