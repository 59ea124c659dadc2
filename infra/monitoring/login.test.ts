import { compareSync } from "bcryptjs";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { webConfiguration } from "./login.ts";

const password = "k3".repeat(21);
const hashOf = (text: string): string =>
  (parse(text) as { basic_auth_users: Record<string, string> }).basic_auth_users["routeql"]!;

test("the configuration has a bcrypt hash of the password alone, the same in each update", () => {
  const text = webConfiguration(password);
  expect(text).not.toContain(password);
  expect(hashOf(text)).toMatch(/^\$2b\$05\$[./\w]{53}$/);
  expect(compareSync(password, hashOf(text))).toBe(true);
  expect(compareSync(`${password}x`, hashOf(text))).toBe(false);
  expect(webConfiguration(password)).toBe(text);
});

test("another password has another salt", () => {
  expect(hashOf(webConfiguration("another")).slice(0, 29)).not.toBe(hashOf(webConfiguration(password)).slice(0, 29));
});
