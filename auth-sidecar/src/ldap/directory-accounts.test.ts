import { expect, test } from "vitest";
import type { AuditTrail } from "../audit/audit-trail.ts";
import type { Database } from "../database.ts";
import { DirectoryAccounts } from "./directory-accounts.ts";
import type { DirectoryAccount } from "./directory.ts";

const lastLogin = new Date("2026-11-29T12:00:00Z");

/** The accounts of a database that compares its one login with the given time as the statement does. */
function accountsWith(login: Date | null, toleranceSeconds: number): DirectoryAccounts {
  const database = {
    query: async (_statement: unknown, [id, time]: readonly [string, Date]) =>
      id === "ldap-1" ? [{ changed: login === null ? null : login < time }] : [],
  } as unknown as Database;
  return new DirectoryAccounts(database, {} as AuditTrail, toleranceSeconds);
}

const changedAfter = (seconds: number, id = "1") =>
  ({ id, passwordChanged: new Date(lastLogin.getTime() + seconds * 1000) }) as DirectoryAccount;

test.each([
  [0, 0, false],
  [0, 0.001, true],
  [1, -60, false],
  [1, 1, false],
  [1, 1.001, true],
  [30, 30, false],
  [30, 31, true],
])("with a tolerance of %d s, a password from %d s after the login is new: %s", async (tolerance, seconds, isNew) => {
  expect(await accountsWith(lastLogin, tolerance).hasNewPassword(changedAfter(seconds))).toBe(isNew);
});

test("an account without a time of its password or of a login has no new password", async () => {
  const accounts = accountsWith(lastLogin, 1);
  expect(await accounts.hasNewPassword({ ...changedAfter(60), passwordChanged: undefined })).toBe(false);
  expect(await accounts.hasNewPassword(changedAfter(60, "2"))).toBe(false);
  expect(await accountsWith(null, 1).hasNewPassword(changedAfter(60))).toBe(false);
});
