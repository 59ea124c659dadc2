import { expect, test } from "vitest";
import { emailAddress } from "./accounts.ts";

test.each(["admin@example.net", "First.Last+tag@sub.example.org"])("accepts %s as an e-mail address", (value) => {
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
])("rejects %j as an e-mail address", (value) => {
  expect(emailAddress.safeParse(value).success).toBe(false);
});
