import type { AuditTrail } from "../audit/audit-trail.ts";
import type { ThrottledLogins } from "../audit/throttled-logins.ts";
import { NoAccess, TooManyRequests, WrongCredentials } from "../errors.ts";
import { addressGroup } from "../throttle/address-group.ts";
import type { Throttle } from "../throttle/throttle.ts";
import type { User } from "../users/user.ts";
import type { AccountPseudonym } from "./account-pseudonym.ts";
import type { CredentialSource } from "./credential-source.ts";
import type { Credentials } from "./credentials.ts";

export interface Origin {
  /** IP address of the client. */
  readonly address: string;
  readonly requestId: string;
}

/** What a proven account is given before its login is on record, and how it is taken back when it never gets there. */
export interface Grant<Given> {
  give(user: User): Promise<Given>;
  takeBack(given: Given): Promise<unknown>;
}

export interface Login<Given> {
  readonly user: User;
  /** When the account was logged in to before, or null. */
  readonly previousLogin: Date | null;
  readonly given: Given;
}

export interface AuthenticatorParts {
  readonly throttle: Throttle;
  readonly audit: AuditTrail;
  readonly throttled: ThrottledLogins;
  readonly pseudonym: AccountPseudonym;
}

/** The one way from credentials to an account, for every endpoint that takes credentials and every source of accounts. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /**
   * @param flow what the login is for, for the audit trail
   * @param grant is given before the login is recorded, so that a password change, which ends the account's sessions,
   * finds this one among them or keeps the login from being recorded
   * @throws {WrongCredentials} alike, in answer and in work, for an unknown account and for a wrong password
   * @throws {TooManyRequests} after too many failures, or when too many logins wait
   * @throws {NoAccess} for a disabled account, once the password has proven right
   */
  async authenticate<Given>(
    source: CredentialSource,
    credentials: Credentials,
    origin: Origin,
    flow: string,
    grant: Grant<Given>,
  ): Promise<Login<Given>> {
    const { throttle, audit, throttled, pseudonym } = this.#parts;
    const { provider } = source;
    const account = pseudonym(provider, source.foldedName(credentials.name));
    const event = { event: "login", provider, account, ...origin, detail: { flow } } as const;
    const attempt = { account, address: origin.address };
    const client = addressGroup(origin.address);
    try {
      return await source.admit(async () => {
        await throttle.check(attempt);
        const user = await source.prove(credentials, {
          async settle(right, userId) {
            if (right) return throttle.check(attempt);
            await throttle.countFailure(attempt);
            await audit.recordRefusal({ ...event, outcome: "failure", userId });
          },
        }, client);
        if (user === undefined) throw new WrongCredentials();
        if (user.disabled) {
          await Promise.all([throttle.countSuccess(attempt), audit.recordRefusal({ ...event, outcome: "refused", userId: user.id })]);
          throw new NoAccess();
        }
        const [given] = await Promise.all([grant.give(user), throttle.countSuccess(attempt)]);
        let previousLogin: Date | null | undefined;
        try {
          previousLogin = await audit.recordLogin({ ...event, outcome: "success" }, user);
        } finally {
          if (previousLogin === undefined) await grant.takeBack(given).catch(() => undefined);
        }
        if (previousLogin === undefined) {
          await audit.recordRefusal({ ...event, outcome: "failure", userId: user.id });
          throw new WrongCredentials();
        }
        return { user, previousLogin, given };
      }, client);
    } catch (error) {
      if (error instanceof TooManyRequests) await throttled.record(event);
      throw error;
    }
  }
}
