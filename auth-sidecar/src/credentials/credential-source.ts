import type { UserWithPassword } from "../users/user-repository.ts";
import type { Provider } from "../users/user.ts";
import type { Credentials } from "./credentials.ts";

/** How a source of accounts reports to the throttle while it works. */
export interface Guard {
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
   * The name that failures count against. All spellings that may find one account give the same name, whether there is such an account
   * or not: otherwise the count would tell accounts that exist from names that do not.
   */
  foldedName(name: string): string;
  /**
   * Runs a whole login, from look-up to answer, once this source has room for it.
   * @param client the addresses that count as one; all logins of one client have one share of the room
   * @throws {TooManyRequests} when it has none
   */
  admit<Result>(login: () => Promise<Result>, client: string): Promise<Result>;
  /** The account that the credentials prove; undefined, after counting a failure, when they prove none. */
  prove(credentials: Credentials, guard: Guard, client: string): Promise<UserWithPassword | undefined>;
}
