import { expect, test } from "vitest";
import { isPrefix } from "./number-resources.ts";

test.each([
  "0.0.0.0/0",
  "192.0.2.0/24",
  "192.0.2.1/32",
  "192.0.2.1/8",
  "::/0",
  "2001:db8::/32",
  "2001:DB8::1/128",
  "::ffff:192.0.2.0/120",
])("%s is a prefix", (text) => {
  expect(isPrefix(text)).toBe(true);
});

test.each([
  "",
  "/",
  "/24",
  "192.0.2.0",
  "192.0.2.0/",
  "192.0.2.0/33",
  "192.0.2.0/024",
  "192.0.2.0/-1",
  "192.0.2/24",
  "192.0.2.256/24",
  "2001:db8::/129",
  "2001:db8:::/32",
  "fe80::1%eth0/64",
  " 192.0.2.0/24",
  "192.0.2.0/24 ",
  "192.0.2.0/2/4",
  "x/8",
])("'%s' is none", (text) => {
  expect(isPrefix(text)).toBe(false);
});
