import { setTimeout as sleep } from "node:timers/promises";
import type { Credentials, CredentialSource, Verdict } from "../credentials/credentials.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { User, UserWithPassword } from "../users.ts";
import { type DirectoryAccounts, directoryId } from "./directory-accounts.ts";
import type { Directory, DirectoryAccount } from "./directory.ts";
import { foldedName } from "./folded-name.ts";

/** Minimum milliseconds of a failure: hides that a wrong password takes longer than an unknown name, which needs no query. */
const failureFloor = 400;

export class DirectoryLogin implements CredentialSource {
  readonly provider = "ldap";
  readonly #directory: Directory;
  readonly #accounts: DirectoryAccounts;
  readonly #sessions: Pick<SessionStore, "endAll">;

  constructor(directory: Directory, accounts: DirectoryAccounts, sessions: Pick<SessionStore, "endAll">) {
    this.#directory = directory;
    this.#accounts = accounts;
    this.#sessions = sessions;
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
    return { right: true, rejectAfter, account: () => this.#loggedIn(account) };
  }

  /** A login with a new password ends the sessions from before it. */
  async #loggedIn(account: DirectoryAccount): Promise<UserWithPassword> {
    const user = await this.#keep(account);
    if (await this.#accounts.hasNewPassword(account)) await this.#sessions.endAll(user.id);
    return { ...user, passwordHash: null };
  }

  /**
   * The user's current state in the directory; undefined if its sessions end: it has a new password, or it is deleted or inactive and
   * its tokens are revoked.
   */
  async current(user: User): Promise<User | undefined> {
    return this.#applied(user, await this.#directory.lookUp(directoryId(user.id)));
  }

  /** Applies the directory's current state to each user, by one connection. */
  async refresh(users: readonly User[]): Promise<void> {
    const byId = new Map(users.map((user) => [directoryId(user.id), user]));
    await this.#directory.lookUpAll([...byId.keys()], async (id, account) => {
      const user = byId.get(id)!;
      if ((await this.#applied(user, account)) === undefined) await this.#sessions.endAll(user.id);
    });
  }

  async #applied(user: User, account: DirectoryAccount | undefined): Promise<User | undefined> {
    if (account !== undefined) return (await this.#accounts.hasNewPassword(account)) ? undefined : this.#keep(account);
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
