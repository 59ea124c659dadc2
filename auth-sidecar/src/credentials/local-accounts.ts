import type { Passwords } from "../passwords/passwords.ts";
import type { UserRepository, UserWithPassword } from "../users/user-repository.ts";
import type { CredentialSource, Guard } from "./credential-source.ts";
import type { Credentials } from "./credentials.ts";

/** The accounts in auth.users with a password of their own. */
export class LocalAccounts implements CredentialSource {
  readonly provider = "local";
  readonly #users: UserRepository;
  readonly #passwords: Passwords;

  constructor(users: UserRepository, passwords: Passwords) {
    this.#users = users;
    this.#passwords = passwords;
  }

  foldedName(name: string): string {
    return name.toLowerCase();
  }

  admit<Result>(login: () => Promise<Result>, client: string): Promise<Result> {
    return this.#passwords.admit(login, client);
  }

  async prove({ name, password }: Credentials, guard: Guard): Promise<UserWithPassword | undefined> {
    const user = await this.#users.findByEmail("local", this.foldedName(name));
    const right = await this.#passwords.matches(user?.passwordHash, password);
    await guard.settle(right, user?.id);
    if (user === undefined || !right) return undefined;
    return this.#withCurrentHash(user, password);
  }

  /** The account with its hash, renewed where that was made with less work than is asked for today. */
  async #withCurrentHash(user: UserWithPassword, password: string): Promise<UserWithPassword | undefined> {
    if (user.passwordHash === null) return user;
    const renewed = await this.#passwords.renewed(user.passwordHash, password);
    if (renewed === undefined) return user;
    if (await this.#users.renewPasswordHash(user.id, user.passwordHash, renewed)) return { ...user, passwordHash: renewed };
    // Another login has renewed it meanwhile, or the password was changed: what is there now has to be proven.
    const now = await this.#users.findByEmail("local", user.email.toLowerCase());
    return now !== undefined && (await this.#passwords.matches(now.passwordHash, password)) ? now : undefined;
  }
}
