import { Unavailable } from "../errors.ts";
import type { StoredKey } from "./key-repository.ts";
import type { PublicJwk } from "./signing-key.ts";

/** The keys this replica knows. It answers from memory, so the key set is served while the database is away. */
export class Keyring {
  readonly #load: () => Promise<readonly StoredKey[]>;
  #keys: readonly StoredKey[] = [];

  constructor(load: () => Promise<readonly StoredKey[]>) {
    this.#load = load;
  }

  /** Reads the keys again; those known before stay when that fails. */
  async refresh(): Promise<void> {
    this.#keys = await this.#load();
  }

  /**
   * The newest key whose time to sign has come.
   * @throws {Unavailable} when no key is known yet
   */
  signingKey(now = Date.now()): StoredKey {
    const key = this.#keys.findLast(({ signsFrom }) => signsFrom.getTime() <= now) ?? this.#keys[0];
    if (key === undefined) throw new Unavailable("keys", new Error("no signing key is known yet"));
    return key;
  }

  /** Public keys for verifiers: those that sign, will sign, or have signed tokens that may still be valid. */
  published(now = Date.now()): PublicJwk[] {
    return this.#keys
      .filter(({ retiresAt }) => retiresAt === null || retiresAt.getTime() > now)
      .map(({ publicJwk }) => publicJwk);
  }
}
