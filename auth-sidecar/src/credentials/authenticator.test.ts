import { expect, test } from "vitest";
import { NoAccess, TooManyRequests, WrongCredentials } from "../errors.ts";
import type { UserWithPassword } from "../users.ts";
import { accountPseudonym, Authenticator, type AuthenticatorParts } from "./authenticator.ts";
import type { CredentialSource, Verdict } from "./credentials.ts";

interface Given {
  readonly right: boolean;
  readonly disabled?: boolean;
  /** The password changes while it is verified, or before the login is recorded. */
  readonly changed?: "meanwhile" | "before the record";
  /** The attempts run out while the password is verified. */
  readonly exhausted?: boolean;
  readonly rejectAfter?: Promise<void>;
}

/** A login whose steps are noted. */
function noted({ right, disabled = false, exhausted = false, changed, rejectAfter = Promise.resolve() }: Given) {
  const steps: string[] = [];
  const refusals: object[] = [];
  const note =
    <Result>(step: string, result?: Result) =>
    async (): Promise<Result> => {
      steps.push(step);
      return result as Result;
    };
  const check = async () => {
    steps.push("check");
    if (exhausted && steps.includes("verify")) throw new TooManyRequests(1);
  };
  const parts = {
    throttle: { check, countFailure: note("count failure"), countSuccess: note("count success") },
    audit: {
      recordRefusal: async (event: object) => {
        refusals.push(event);
        return note("record refusal")();
      },
      recordLogin: note("record login", changed === undefined ? null : undefined),
    },
    throttled: { record: note("record throttled") },
    pseudonym: () => "pseudonym",
  } as unknown as AuthenticatorParts;
  const user = { id: "u1", provider: "local", disabled } as unknown as UserWithPassword;
  const verdict: Verdict = { right, rejectAfter, account: note("account", changed === "meanwhile" ? undefined : user) };
  const source: CredentialSource = {
    provider: "local",
    foldedName: (name) => name,
    admit: (login) => login(),
    verify: note("verify", verdict),
  };
  const login = new Authenticator(parts).authenticate({
    source,
    credentials: { name: "a@example.net", password: "secret" },
    origin: { address: "192.0.2.1", requestId: "r1" },
    flow: "session",
    grant: { give: note("give", "session"), takeBack: note("take back") },
  });
  return { steps, refusals, login };
}

test("settles right credentials before it renews the hash and creates the session", async () => {
  const { steps, login } = noted({ right: true });
  await expect(login).resolves.toMatchObject({ given: "session" });
  expect(steps).toEqual(["check", "verify", "check", "account", "give", "count success", "record login"]);
});

test("counts and records wrong credentials without asking for the account", async () => {
  const { steps, login } = noted({ right: false });
  await expect(login).rejects.toThrow(WrongCredentials);
  expect(steps).toEqual(["check", "verify", "count failure", "record refusal"]);
});

test("rejects right credentials unused when the attempts ran out meanwhile", async () => {
  const { steps, login } = noted({ right: true, exhausted: true });
  await expect(login).rejects.toThrow(TooManyRequests);
  expect(steps).toEqual(["check", "verify", "check", "record throttled"]);
});

test("rejects a disabled account before it creates a session", async () => {
  const { steps, login } = noted({ right: true, disabled: true });
  await expect(login).rejects.toThrow(NoAccess);
  expect(steps).toEqual(["check", "verify", "check", "account", "count success", "record refusal"]);
});

test.each([
  [{ right: false }, "failure", "credentials"],
  [{ right: true, disabled: true }, "refused", "disabled"],
  [{ right: true, changed: "meanwhile" }, "failure", "changed"],
  [{ right: true, changed: "before the record" }, "failure", "changed"],
] as const)("records why a login is refused: %j", async (given, outcome, reason) => {
  const { refusals, login } = noted(given);
  await expect(login).rejects.toThrow();
  expect(refusals).toMatchObject([{ event: "login", outcome, detail: { flow: "session", reason } }]);
});

test.each([{ right: false }, { right: true, exhausted: true }])(
  "a rejection waits for the floor of the source: %j",
  async (given) => {
    const { promise: rejectAfter, resolve } = Promise.withResolvers<void>();
    const { login } = noted({ ...given, rejectAfter });
    const outcome = login.then(
      () => "answered",
      () => "answered",
    );
    const turns = new Promise((done) => setTimeout(done, 20, "waits"));
    expect(await Promise.race([outcome, turns])).toBe("waits");
    resolve();
    expect(await outcome).toBe("answered");
  },
);

test("is stable for one secret, provider and name, and reveals none of them", () => {
  const pseudonym = accountPseudonym("b7e20f4c9d1a6835f0c4a7e92d5b8163");
  const one = pseudonym("local", "a@example.net");
  expect(one).toMatch(/^[0-9a-f]{32}$/);
  expect(pseudonym("local", "a@example.net")).toBe(one);
  expect(pseudonym("ldap", "a@example.net")).not.toBe(one);
  expect(pseudonym("local", "b@example.net")).not.toBe(one);
  expect(accountPseudonym("another")("local", "a@example.net")).not.toBe(one);
});
