import { createPrivateKey, type KeyObject } from "node:crypto";
import { type Database, locks, type Queries, type Statement } from "../database/database.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import { generateSigningKey, type PublicJwk } from "./signing-key.ts";

export interface StoredKey {
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
  /** From then on it is the one that signs, until a later key's time has come. */
  readonly signsFrom: Date;
  /** From then on it is no longer published; null while no later key exists. */
  readonly retiresAt: Date | null;
}

interface KeyRow {
  id: string;
  public_jwk: PublicJwk;
  private_key_encrypted: Buffer;
  signs_from: Date;
  retires_at: Date | null;
}

const published: Statement = {
  name: "published-keys",
  text: `
    select id, public_jwk, private_key_encrypted, signs_from, retires_at
    from auth.signing_keys
    where published_at <= now() and retired_at is null and (retires_at is null or retires_at > now())
    order by signs_from, id`,
};
const insert: Statement = {
  name: "insert-key",
  text: `
    insert into auth.signing_keys (id, algorithm, public_jwk, private_key_encrypted, published_at, signs_from)
    values ($1, $2, $3, $4, now(), now())`,
};

/** Signing keys in auth.signing_keys, their private parts encrypted. */
export class KeyRepository {
  readonly #database: Database;
  readonly #encryption: KeyEncryption;

  constructor(database: Database, encryption: KeyEncryption) {
    this.#database = database;
    this.#encryption = encryption;
  }

  /**
   * All keys that are published now, the oldest first.
   * @throws {KeyDecryptionError} when one was stored under another KEY_ENCRYPTION_KEY
   */
  async published(): Promise<StoredKey[]> {
    return this.#read(await this.#database.query<KeyRow>(published));
  }

  /**
   * Makes the first key when there is none; it signs at once, as nobody can hold a key set without it. Replicas that start together make one.
   * @returns the new key's id, or undefined when there was one
   */
  createFirst(): Promise<string | undefined> {
    return this.#database.locked(locks.signingKeys, async (queries) => {
      if ((await queries.query<KeyRow>(published)).length > 0) return undefined;
      return this.#insert(queries);
    });
  }

  async #insert(queries: Queries): Promise<string> {
    const { publicJwk, privateKey } = await generateSigningKey();
    const encrypted = this.#encryption.encrypt(publicJwk.kid, privateKey.export({ type: "pkcs8", format: "der" }));
    await queries.query(insert, [publicJwk.kid, publicJwk.alg, JSON.stringify(publicJwk), encrypted]);
    return publicJwk.kid;
  }

  #read(rows: readonly KeyRow[]): StoredKey[] {
    return rows.map((row) => ({
      publicJwk: row.public_jwk,
      privateKey: createPrivateKey({ key: this.#encryption.decrypt(row.id, row.private_key_encrypted), type: "pkcs8", format: "der" }),
      signsFrom: row.signs_from,
      retiresAt: row.retires_at,
    }));
  }
}
