import type { Passwords } from "../passwords/passwords.ts";
import type { UserRepository, UserWithPassword } from "../users.ts";
import type { Credentials, CredentialSource, Verdict } from "./credentials.ts";

/** The one form of an address: its account and its count of failures are found by it. No address has blanks around it. */
export const foldedAddress = (name: string): string => name.trim().toLowerCase();

/** The accounts in auth.users that have a password. */
export class LocalAccounts implements CredentialSource {
  readonly provider = "local";
  readonly #users: UserRepository;
  readonly #passwords: Passwords;

  constructor(users: UserRepository, passwords: Passwords) {
    this.#users = users;
    this.#passwords = passwords;
  }

  foldedName(name: string): string {
    return foldedAddress(name);
  }

  admit<Result>(login: () => Promise<Result>, client: string): Promise<Result> {
    return this.#passwords.admit(login, client);
  }

  async verify({ name, password }: Credentials): Promise<Verdict> {
    const user = await this.#users.findByEmail("local", this.foldedName(name));
    const right = await this.#passwords.matches(user?.passwordHash, password);
    if (user === undefined || !right) return { right: false, userId: user?.id, account: async () => undefined };
    return { right, account: () => this.#withCurrentHash(user, password) };
  }

  /** The account with its hash, renewed if its parameters are weaker than today's. */
  async #withCurrentHash(user: UserWithPassword, password: string): Promise<UserWithPassword | undefined> {
    if (user.passwordHash === null) return user;
    const renewed = await this.#passwords.renewed(user.passwordHash, password);
    if (renewed === undefined) return user;
    if (await this.#users.renewPasswordHash(user.id, user.passwordHash, renewed))
      return { ...user, passwordHash: renewed };
    // Another login has renewed the hash in the meantime, or the password was changed: verify against the current hash.
    const now = await this.#users.findByEmail("local", user.email.toLowerCase());
    return now !== undefined && (await this.#passwords.matches(now.passwordHash, password)) ? now : undefined;
  }
}
