import type { Passwords } from "../passwords/passwords.ts";
import type { UserRepository, UserWithPassword } from "../users/user-repository.ts";
import type { User } from "../users/user.ts";
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

  async prove({ name, password }: Credentials, guard: Guard): Promise<User | undefined> {
    const user = await this.#users.findByEmail("local", name.toLowerCase());
    const right = await this.#passwords.matches(user?.passwordHash, password);
    await guard.settle(right, user?.id);
    if (user === undefined || !right) return undefined;
    await this.#renewHash(user, password);
    return user;
  }

  async #renewHash({ id, passwordHash }: UserWithPassword, password: string): Promise<void> {
    if (passwordHash === null) return;
    const renewed = await this.#passwords.renewed(passwordHash, password);
    if (renewed !== undefined) await this.#users.renewPasswordHash(id, passwordHash, renewed);
  }
}
