import { setTimeout as sleep } from "node:timers/promises";
import type { Credentials, CredentialSource, Verdict } from "../credentials/credentials.ts";
import type { User } from "../users.ts";
import { type DirectoryAccounts, directoryId } from "./directory-accounts.ts";
import type { Directory, DirectoryAccount } from "./directory.ts";
import { foldedName } from "./folded-name.ts";

/** Minimum milliseconds of a failure: hides that a wrong password takes longer than an unknown name, which needs no query. */
const failureFloor = 400;

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
    const account = await this.#directory.authenticate({
      username: name,
      password,
      asker: client,
      owner: (username) => this.#accounts.owner(username),
    });
    if (account === undefined) return { right: false, rejectAfter, account: async () => undefined };
    return { right: true, rejectAfter, account: async () => ({ ...(await this.#keep(account)), passwordHash: null }) };
  }

  /** The user's current state in the directory; undefined if the account is deleted or inactive: then its tokens are revoked. */
  async current(user: User): Promise<User | undefined> {
    return this.#applied(user, await this.#directory.lookUp(directoryId(user.id)));
  }

  /** Applies the directory's current state to each user, by one connection. @param withdrawn called after a user lost its rights */
  async refresh(users: readonly User[], withdrawn: (user: User) => Promise<unknown>): Promise<void> {
    const byId = new Map(users.map((user) => [directoryId(user.id), user]));
    await this.#directory.lookUpAll([...byId.keys()], async (id, account) => {
      const user = byId.get(id)!;
      if ((await this.#applied(user, account)) === undefined) await withdrawn(user);
    });
  }

  async #applied(user: User, account: DirectoryAccount | undefined): Promise<User | undefined> {
    if (account !== undefined) return this.#keep(account);
    await this.#accounts.withdraw(user);
    return undefined;
  }

  #keep(account: DirectoryAccount): Promise<User> {
    return this.#accounts.keep(
      account,
      async (id, email) => (await this.#directory.lookUp(id))?.emails.some((one) => isSame(one, email)) ?? false,
    );
  }
}

const isSame = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();
