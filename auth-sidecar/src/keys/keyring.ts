import type { KeyObject } from "node:crypto";
import { Unavailable } from "../errors.ts";
import type { StoredKey } from "./key-repository.ts";
import type { PublicJwk } from "./signing-key.ts";

type AbleKey = StoredKey & { readonly privateKey: KeyObject };

/** The keys in this replica's memory, so that the key set is served during a database outage. */
export class Keyring {
  readonly #load: () => Promise<readonly StoredKey[]>;
  #keys: readonly StoredKey[] = [];

  constructor(load: () => Promise<readonly StoredKey[]>) {
    this.#load = load;
  }

  /** Reads the keys again; on failure the previous ones stay. */
  async refresh(): Promise<void> {
    this.#keys = await this.#load();
  }

  /**
   * The newest key that may sign now and can be decrypted here.
   * @throws {Unavailable} when there is none
   */
  signingKey(now = Date.now()): AbleKey {
    const able = this.#keys.filter((key): key is AbleKey => key.privateKey !== undefined);
    const key = able.findLast(({ signsFrom }) => signsFrom.getTime() <= now) ?? able[0];
    if (key === undefined) throw new Unavailable("keys", new Error("no signing key is known"));
    return key;
  }

  /** Ids of the keys that are published but cannot sign here. */
  closed(): string[] {
    return this.#keys.filter(({ privateKey }) => privateKey === undefined).map(({ publicJwk }) => publicJwk.kid);
  }

  /** Public keys for verifiers: those that sign, will sign, or have signed tokens that may still be valid. */
  published(now = Date.now()): PublicJwk[] {
    return this.#keys
      .filter(({ retiresAt }) => retiresAt === null || retiresAt.getTime() > now)
      .map(({ publicJwk }) => publicJwk);
  }
}
