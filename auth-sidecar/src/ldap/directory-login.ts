import { setTimeout as sleep } from "node:timers/promises";
import type { CredentialSource, Verdict } from "../credentials/credential-source.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { User } from "../users/user.ts";
import type { Directory } from "./directory.ts";
import { type DirectoryAccounts, directoryId } from "./directory-accounts.ts";
import { foldedName } from "./folded-name.ts";

/**
 * Minimum duration of a failure in milliseconds. A directory takes its own time for a wrong password, and an unknown name needs no
 * query. The minimum hides the difference.
 */
const failureFloor = 400;

/** The accounts of the directory. */
export class DirectoryLogin implements CredentialSource {
  readonly provider = "ldap";
  readonly #directory: Directory;
  readonly #accounts: DirectoryAccounts;

  constructor(directory: Directory, accounts: DirectoryAccounts) {
    this.#directory = directory;
    this.#accounts = accounts;
  }

  foldedName(name: string): string {
    return foldedName(name);
  }

  /** No limit here: the directory's connections limit these logins, so that none takes the slot of a local login. */
  admit<Result>(login: () => Promise<Result>): Promise<Result> {
    return login();
  }

  async verify({ name, password }: Credentials, client: string): Promise<Verdict> {
    // Runs concurrently with the login; only a rejection waits for its end.
    const rejectAfter = sleep(failureFloor);
    const account = await this.#directory.authenticate(name, password, client);
    if (account === undefined) return { right: false, rejectAfter, account: async () => undefined };
    return {
      right: true,
      rejectAfter,
      account: async () => ({ ...(await this.#accounts.keep(account)), passwordHash: null }),
    };
  }

  /** The user's current state in the directory; undefined if the account is deleted or inactive. */
  async current(user: User): Promise<User | undefined> {
    const account = await this.#directory.lookUp(directoryId(user));
    return account === undefined ? undefined : this.#accounts.keep(account);
  }
}
