import { setTimeout as sleep } from "node:timers/promises";
import type { CredentialSource, Guard } from "../credentials/credential-source.ts";
import type { Credentials } from "../credentials/credentials.ts";
import type { UserWithPassword } from "../users/user-repository.ts";
import type { User } from "../users/user.ts";
import type { Directory } from "./directory.ts";
import { type DirectoryAccounts, directoryId } from "./directory-accounts.ts";
import { foldedName } from "./folded-name.ts";

/**
 * Milliseconds that a failure takes at least. How long a directory takes over a wrong password is its own affair, and for an
 * unknown name there is nothing to ask it; the floor hides the difference.
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

  /** No limit here: the directory's connections limit these logins, and none takes the slot of a local login. */
  admit<Result>(login: () => Promise<Result>): Promise<Result> {
    return login();
  }

  async prove({ name, password }: Credentials, guard: Guard, client: string): Promise<UserWithPassword | undefined> {
    // Runs beside the work; only what does not succeed waits for its end.
    const floor = sleep(failureFloor);
    const account = await this.#directory.authenticate(name, password, client);
    try {
      await guard.settle(account !== undefined);
    } catch (error) {
      await floor;
      throw error;
    }
    if (account !== undefined) return { ...(await this.#accounts.keep(account)), passwordHash: null };
    await floor;
    return undefined;
  }

  /** The user as the directory has him now; undefined when it has him no longer, or not as active. */
  async current(user: User): Promise<User | undefined> {
    const account = await this.#directory.lookUp(directoryId(user));
    return account === undefined ? undefined : this.#accounts.keep(account);
  }
}
