import type { UserWithPassword } from "../users/user-repository.ts";
import type { Provider } from "../users/user.ts";
import type { Credentials } from "./credentials.ts";

/** How a source of accounts reports to the throttle while it works. */
export interface Guard {
  /**
   * Tells which account it is, where several spellings find one; from then on failures count against that.
   * @throws {TooManyRequests} when they leave no attempt
   */
  recognise(account: string): Promise<void>;
  /**
   * Called with what the credentials proved, before anything else is done with it.
   * @param userId the account whose password was wrong, when there is one
   * @throws {TooManyRequests} right or wrong alike, when failures counted meanwhile left no attempt
   */
  settle(right: boolean, userId?: string): Promise<void>;
}

/** Where credentials are proven: the local accounts, or a directory. */
export interface CredentialSource {
  readonly provider: Provider;
  /**
   * Runs a whole login, from look-up to answer, once this source has room for it.
   * @throws {TooManyRequests} when it has none
   */
  admit<Result>(login: () => Promise<Result>): Promise<Result>;
  /** The account that the credentials prove; undefined, after counting a failure, when they prove none. */
  prove(credentials: Credentials, guard: Guard): Promise<UserWithPassword | undefined>;
}
