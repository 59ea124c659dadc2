import { expect, test } from "vitest";
import { accountPseudonym } from "./account-pseudonym.ts";

test("is stable for one secret, provider and name, and reveals none of them", () => {
  const pseudonym = accountPseudonym("b7e20f4c9d1a6835f0c4a7e92d5b8163");
  const one = pseudonym("local", "a@example.net");
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(pseudonym("local", "a@example.net")).toBe(one);
  expect(pseudonym("ldap", "a@example.net")).not.toBe(one);
  expect(pseudonym("local", "b@example.net")).not.toBe(one);
  expect(accountPseudonym("another")("local", "a@example.net")).not.toBe(one);
});
