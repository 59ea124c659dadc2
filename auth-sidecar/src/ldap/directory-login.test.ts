import { expect, test } from "vitest";
import type { User } from "../users.ts";
import type { DirectoryAccounts } from "./directory-accounts.ts";
import { DirectoryLogin } from "./directory-login.ts";
import type { Directory, DirectoryAccount } from "./directory.ts";

const account: DirectoryAccount = {
  id: "1",
  emails: ["ada@example.net"],
  name: "Ada",
  role: "viewer",
  organisation: undefined,
  passwordChanged: new Date(0),
};
const user = { id: "ldap-1", provider: "ldap", email: "ada@example.net" } as User;

/** A login to a directory with these accounts; the steps that change something are noted. */
function noted(found: DirectoryAccount | undefined, hasNewPassword = false) {
  const steps: string[] = [];
  const directory = {
    authenticate: async () => found,
    lookUp: async () => found,
    lookUpAll: async (ids: readonly string[], use: (id: string, account?: DirectoryAccount) => Promise<unknown>) => {
      for (const id of ids) await use(id, found);
    },
  } as unknown as Directory;
  const accounts = {
    keep: async () => (steps.push("keep"), user),
    withdraw: async () => void steps.push("withdraw"),
    hasNewPassword: async () => hasNewPassword,
  } as unknown as DirectoryAccounts;
  const sessions = { endAll: async (id: string) => steps.push(`end sessions of ${id}`) };
  return { steps, login: new DirectoryLogin(directory, accounts, sessions) };
}

const credentials = { name: "ada@example.net", password: "secret" };

test("a login with a new password ends the sessions from before it", async () => {
  const { steps, login } = noted(account, true);
  const verdict = await login.verify(credentials, "192.0.2.1");
  expect(steps).toEqual([]);
  expect(await verdict.account()).toMatchObject({ id: "ldap-1" });
  expect(steps).toEqual(["keep", "end sessions of ldap-1"]);
});

test("a login with the same password ends no session", async () => {
  const { steps, login } = noted(account);
  await (await login.verify(credentials, "192.0.2.1")).account();
  expect(steps).toEqual(["keep"]);
});

test.each([
  ["unchanged", account, false, user, ["keep"]],
  ["with a new password", account, true, undefined, []],
  ["removed", undefined, false, undefined, ["withdraw"]],
])("the current state of an account that is %s", async (_state, found, hasNewPassword, current, changes) => {
  const { steps, login } = noted(found, hasNewPassword);
  expect(await login.current(user)).toBe(current);
  expect(steps).toEqual(changes);
});

test.each([
  ["unchanged", account, false, ["keep"]],
  ["with a new password", account, true, ["end sessions of ldap-1"]],
  ["removed", undefined, false, ["withdraw", "end sessions of ldap-1"]],
])("the regular check of an account that is %s", async (_state, found, hasNewPassword, changes) => {
  const { steps, login } = noted(found, hasNewPassword);
  await login.refresh([user]);
  expect(steps).toEqual(changes);
});
