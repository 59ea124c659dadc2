import type { AuditTrail } from "../audit/audit-trail.ts";
import { NoAccess, TooManyRequests, WrongCredentials } from "../errors.ts";
import type { Passwords } from "../passwords/passwords.ts";
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

export interface Login {
  readonly user: User;
  /** When the account was logged in to before, or null. */
  readonly previousLogin: Date | null;
}

export interface AuthenticatorParts {
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  readonly audit: AuditTrail;
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
   * @throws {WrongCredentials} alike, in answer and in work, for an unknown account and for a wrong password
   * @throws {TooManyRequests} after too many failures, or when too many logins wait
   * @throws {NoAccess} for a disabled account, once the password has proven right
   */
  async authenticate(source: CredentialSource, credentials: Credentials, origin: Origin, flow: string): Promise<Login> {
    const { passwords, throttle, audit, pseudonym } = this.#parts;
    const { provider } = source;
    const account = pseudonym(provider, credentials.name.toLowerCase());
    const event = { event: "login", provider, account, ...origin, detail: { flow } } as const;
    let attempt = { account, address: origin.address };
    try {
      return await passwords.admit(async () => {
        await throttle.check(attempt);
        const user = await source.prove(credentials, {
          recognise(name) {
            attempt = { ...attempt, account: pseudonym(provider, name) };
            return throttle.check(attempt);
          },
          async settle(right, userId) {
            if (right) return throttle.check(attempt);
            await throttle.countFailure(attempt);
            await audit.recordRefusal({ ...event, outcome: "failure", userId });
          },
        });
        if (user === undefined) throw new WrongCredentials();
        if (user.disabled) {
          await Promise.all([throttle.countSuccess(attempt), audit.recordRefusal({ ...event, outcome: "refused", userId: user.id })]);
          throw new NoAccess();
        }
        const [previousLogin] = await Promise.all([
          audit.recordLogin({ ...event, outcome: "success", userId: user.id }),
          throttle.countSuccess(attempt),
        ]);
        return { user, previousLogin };
      });
    } catch (error) {
      if (error instanceof TooManyRequests) await audit.recordRefusal({ ...event, outcome: "throttled" });
      throw error;
    }
  }
}
