import type { AuditEvent, AuditOutcome } from "../audit/audit-event.ts";
import type { AuditTrail } from "../audit/audit-trail.ts";
import { NoAccess, TooManyRequests, WrongCredentials } from "../errors.ts";
import type { Passwords } from "../passwords/passwords.ts";
import type { Attempt, Throttle } from "../throttle/throttle.ts";
import type { UserRepository, UserWithPassword } from "../users/user-repository.ts";
import type { User } from "../users/user.ts";
import type { AccountPseudonym } from "./account-pseudonym.ts";
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
  readonly users: UserRepository;
  readonly passwords: Passwords;
  readonly throttle: Throttle;
  readonly audit: AuditTrail;
  readonly pseudonym: AccountPseudonym;
}

/** The one way from credentials to an account, for every endpoint that takes credentials. */
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
  async authenticate({ name, password }: Credentials, origin: Origin, flow: string): Promise<Login> {
    const { passwords, users, audit, pseudonym } = this.#parts;
    const email = name.toLowerCase();
    const account = pseudonym("local", email);
    const event = { event: "login", provider: "local", account, ...origin, detail: { flow } } as const;
    try {
      return await passwords.admit(async () => {
        const user = await this.#prove(email, password, { account, address: origin.address }, event);
        const previousLogin = await users.recordLogin(user.id);
        await audit.record({ ...event, outcome: "success", userId: user.id });
        return { user, previousLogin };
      });
    } catch (error) {
      if (error instanceof TooManyRequests) await audit.recordRefusal({ ...event, outcome: "throttled" });
      throw error;
    }
  }

  /** The account whose password this is; a failure is counted and on record when it throws. */
  async #prove(email: string, password: string, attempt: Attempt, event: Omit<AuditEvent, "outcome">): Promise<User> {
    const { users, throttle, audit } = this.#parts;
    await throttle.check(attempt);
    const user = await users.findByEmail("local", email);
    const refuse = (outcome: AuditOutcome) => audit.recordRefusal({ ...event, outcome, userId: user?.id });
    const right = await this.#passwordMatches(user, password, attempt);
    if (user === undefined || !right) {
      await refuse("failure");
      throw new WrongCredentials();
    }
    await throttle.countSuccess(attempt);
    await this.#renewHash(user, password);
    if (user.disabled) {
      await refuse("refused");
      throw new NoAccess();
    }
    return user;
  }

  async #passwordMatches(user: UserWithPassword | undefined, password: string, attempt: Attempt): Promise<boolean> {
    const { passwords, throttle } = this.#parts;
    return passwords.inTurn(async (matches) => {
      // Once more, now that it is this login's turn: those that ran meanwhile have been counted.
      await throttle.check(attempt);
      const right = await matches(user?.passwordHash, password);
      if (!right) await throttle.countFailure(attempt);
      return right;
    });
  }

  async #renewHash({ id, passwordHash }: UserWithPassword, password: string): Promise<void> {
    if (passwordHash === null) return;
    const renewed = await this.#parts.passwords.renewed(passwordHash, password);
    if (renewed !== undefined) await this.#parts.users.renewPasswordHash(id, passwordHash, renewed);
  }
}
