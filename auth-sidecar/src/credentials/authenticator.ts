/**
 * Why a login is refused, in order. Before this file: a wrong service key or body, a session store that does not answer (endpoints/session.ts),
 * a full queue (`admit` of the source). Here: too many failures (throttle/throttle.ts), wrong credentials (`verify` of local-accounts.ts,
 * ldap/directory-login.ts), a password that changed meanwhile, a disabled account, a password that changed before the record of the login. Each
 * refusal here is an event in auth.audit_events with a reason of audit/refusals.ts.
 */
import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { AuditTrail } from "../audit/audit-trail.ts";
import { refused } from "../audit/refusals.ts";
import type { ThrottledLogins } from "../audit/throttled-logins.ts";
import { NoAccess, TooManyRequests, WrongCredentials } from "../errors.ts";
import { addressGroup } from "../throttle/address-group.ts";
import type { Throttle } from "../throttle/throttle.ts";
import type { Provider, User, UserWithPassword } from "../users.ts";
import type { Credentials, CredentialSource, Verdict } from "./credentials.ts";

export interface Origin {
  readonly address: string;
  readonly requestId: string;
}

/** Creates the product of a login, such as a session, before the login is recorded. */
export interface Grant<Given> {
  give(user: User): Promise<Given>;
  /** Withdraws it if the login could not be recorded. */
  takeBack(given: Given): Promise<unknown>;
}

export interface LoginRequest<Given> {
  readonly source: CredentialSource;
  readonly credentials: Credentials;
  readonly origin: Origin;
  /** Purpose of the login, for the audit trail. */
  readonly flow: string;
  /** Granted before the login is recorded: a concurrent password change either ends this session too or prevents the record. */
  readonly grant: Grant<Given>;
}

export interface Login<Given> {
  readonly user: User;
  readonly previousLogin: Date | null;
  readonly given: Given;
}

export interface AuthenticatorParts {
  readonly throttle: Throttle;
  readonly audit: AuditTrail;
  readonly throttled: ThrottledLogins;
  readonly pseudonym: AccountPseudonym;
}

interface LoginEvent extends Origin {
  readonly event: "login";
  readonly provider: Provider;
  readonly account: string;
  readonly detail: { readonly flow: string };
}

/** The only path from credentials to an account, for every endpoint with credentials and every source of accounts. */
export class Authenticator {
  readonly #parts: AuthenticatorParts;

  constructor(parts: AuthenticatorParts) {
    this.#parts = parts;
  }

  /**
   * @throws {WrongCredentials} with the same answer and the same work for an unknown account and a wrong password
   * @throws {TooManyRequests} after too many failures, or when too many logins wait
   * @throws {NoAccess} for a disabled account, after the password has been verified
   */
  async authenticate<Given>(request: LoginRequest<Given>): Promise<Login<Given>> {
    const { source, credentials, origin, flow } = request;
    const { provider } = source;
    const account = this.#parts.pseudonym(provider, source.foldedName(credentials.name));
    const event: LoginEvent = { event: "login", provider, account, ...origin, detail: { flow } };
    const client = addressGroup(origin.address);
    try {
      return await source.admit(() => this.#login(request, event, client), client);
    } catch (error) {
      if (error instanceof TooManyRequests) await this.#parts.throttled.record(event);
      throw error;
    }
  }

  /** The steps of an admitted login, in order. The verdict is settled before anything else uses it. */
  async #login<Given>(
    { source, credentials, grant }: LoginRequest<Given>,
    event: LoginEvent,
    client: string,
  ): Promise<Login<Given>> {
    await this.#parts.throttle.check(event);
    const verdict = await source.verify(credentials, client);
    await this.#settle(verdict, event);
    const user = await verdict.account();
    if (user === undefined) return this.#rejectChanged(event, verdict.userId);
    if (user.disabled) await this.#rejectDisabled(user, event);
    const [given] = await Promise.all([grant.give(user), this.#parts.throttle.countSuccess(event)]);
    const previousLogin = await this.#record(user, event, () => grant.takeBack(given));
    return { user, previousLogin, given };
  }

  /** Counts a failure. Without an attempt left, right and wrong credentials are rejected alike, after the constant-time floor. */
  async #settle(verdict: Verdict, event: LoginEvent): Promise<void> {
    const { throttle, audit } = this.#parts;
    try {
      if (verdict.right) return await throttle.check(event);
      await throttle.countFailure(event);
      await audit.recordRefusal(refused({ ...event, userId: verdict.userId }, "credentials"));
      throw new WrongCredentials();
    } catch (error) {
      await verdict.rejectAfter;
      throw error;
    }
  }

  async #rejectDisabled(user: User, event: LoginEvent): Promise<never> {
    const { throttle, audit } = this.#parts;
    await Promise.all([
      throttle.countSuccess(event),
      audit.recordRefusal(refused({ ...event, userId: user.id }, "disabled")),
    ]);
    throw new NoAccess();
  }

  /** @returns the time of the previous login */
  async #record(user: UserWithPassword, event: LoginEvent, takeBack: () => Promise<unknown>): Promise<Date | null> {
    const { audit } = this.#parts;
    let previousLogin: Date | null | undefined;
    try {
      previousLogin = await audit.recordLogin({ ...event, outcome: "success" }, user);
    } finally {
      if (previousLogin === undefined) await takeBack().catch(() => undefined);
    }
    if (previousLogin !== undefined) return previousLogin;
    return this.#rejectChanged(event, user.id);
  }

  async #rejectChanged(event: LoginEvent, userId: string | undefined): Promise<never> {
    await this.#parts.audit.recordRefusal(refused({ ...event, userId }, "changed"));
    throw new WrongCredentials();
  }
}

export type AccountPseudonym = (provider: Provider, name: string) => string;

/** A pseudonym for counting: an HMAC under a derived key. Typed text is never stored, because users mistype passwords into it. */
export function accountPseudonym(secret: string): AccountPseudonym {
  // A KeyObject, because Node converts a Buffer at each use, which costs five times the HMAC.
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "routeql account pseudonym", 32)));
  return (provider, name) => createHmac("sha256", key).update(`${provider}\0${name}`).digest("hex").slice(0, 32);
}
