import type { UserWithPassword } from "../users/user-repository.ts";
import type { Provider } from "../users/user.ts";
import type { Credentials } from "./credentials.ts";

/** The result of verifying credentials. The login settles it before it asks for the account. */
export interface Verdict {
  readonly right: boolean;
  /** The account with the wrong password, if there is one. */
  readonly userId?: string | undefined;
  /** Earliest time for a rejection, when the source has a constant-time floor. */
  readonly rejectAfter?: Promise<void>;
  /** The current account; undefined when its password changed meanwhile, or when the credentials are wrong. */
  account(): Promise<UserWithPassword | undefined>;
}

/** A source of accounts: the local accounts, or a directory. */
export interface CredentialSource {
  readonly provider: Provider;
  /**
   * The name under which failures are counted. All spellings of one account have the same name, also for unknown accounts. Otherwise the
   * count would reveal which accounts exist.
   */
  foldedName(name: string): string;
  /**
   * Runs a whole login, from lookup to answer, once this source has capacity for it.
   * @param client the addresses that count as one client; all logins of one client use one share of the capacity
   * @throws {TooManyRequests} without free capacity
   */
  admit<Result>(login: () => Promise<Result>, client: string): Promise<Result>;
  verify(credentials: Credentials, client: string): Promise<Verdict>;
}
