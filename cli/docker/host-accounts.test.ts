import { expect, test } from "vitest";
import { accountsIn } from "./host-accounts.ts";

test.each([
  ["an account with a login", "eve:x:10103:1000:Eve:/home/eve:/bin/bash", ["eve"]],
  ["an account without a login", "eve:x:10103:1000::/nonexistent:/usr/sbin/nologin", ["eve"]],
  ["an account with the id of official images", "eve:x:999:1000::/home/eve:/bin/sh", ["eve"]],
  ["a service account with the id of official images", "systemd-coredump:x:999:999::/:/usr/sbin/nologin", []],
  ["no account", "", []],
  ["two accounts", "eve:x:10101:1::/:/bin/sh\nbob:x:10114:1::/:/bin/sh\n", ["eve", "bob"]],
])("finds %s", (_title, passwd, names) => {
  expect(accountsIn(passwd).map(({ name }) => name)).toEqual(names);
});
