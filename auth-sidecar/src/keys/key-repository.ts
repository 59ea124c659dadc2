import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Queries, Statement } from "../database/database.ts";
import { KeyDecryptionError, type KeyEncryption } from "./key-encryption.ts";
import type { PublicJwk } from "./signing-key.ts";

export interface StoredKey {
  readonly publicJwk: PublicJwk;
  /** Undefined while this replica cannot open it, as when another one has KEY_ENCRYPTION_KEY's next value already. */
  readonly privateKey: KeyObject | undefined;
  /** From then on it is the one that signs, until a later key's time has come. */
  readonly signsFrom: Date;
  /** From then on it is no longer published; null while no later key exists. */
  readonly retiresAt: Date | null;
}

/** One key as an operator sees it. */
export interface KeySummary {
  readonly id: string;
  readonly algorithm: string;
  readonly state: "next" | "signing" | "verifying" | "retired";
  readonly createdAt: Date;
  readonly signsFrom: Date;
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
const summaries: Statement = {
  name: "key-summaries",
  text: `
    select id, algorithm, created_at as "createdAt", signs_from as "signsFrom", coalesce(retired_at, retires_at) as "retiresAt",
      case
        when retired_at is not null or retires_at <= now() then 'retired'
        when signs_from > now() then 'next'
        when signs_from = max(signs_from) filter (where retired_at is null and signs_from <= now()) over () then 'signing'
        else 'verifying'
      end as state
    from auth.signing_keys
    order by signs_from, id`,
};

/** Reads auth.signing_keys; what changes them is {@link KeyRotation}. */
export class KeyRepository {
  readonly #queries: Queries;
  readonly #encryption: KeyEncryption;
  #opened = new Map<string, KeyObject>();

  constructor(queries: Queries, encryption: KeyEncryption) {
    this.#queries = queries;
    this.#encryption = encryption;
  }

  /** All keys that are published now, the oldest first. A private part is opened once; its id says what is in it. */
  async published(): Promise<StoredKey[]> {
    const rows = await this.#queries.query<KeyRow>(published);
    const keys = rows.map((row) => ({
      publicJwk: row.public_jwk,
      privateKey: this.#opened.get(row.id) ?? this.#open(row),
      signsFrom: row.signs_from,
      retiresAt: row.retires_at,
    }));
    this.#opened = new Map(
      keys.flatMap(({ publicJwk, privateKey }) => (privateKey === undefined ? [] : [[publicJwk.kid, privateKey]])),
    );
    return keys;
  }

  /** Every key there ever was, the oldest first. */
  all(): Promise<KeySummary[]> {
    return this.#queries.query<KeySummary>(summaries);
  }

  #open({ id, private_key_encrypted: stored }: KeyRow): KeyObject | undefined {
    try {
      return createPrivateKey({ key: this.#encryption.decrypt(id, stored).privateKey, type: "pkcs8", format: "der" });
    } catch (error) {
      if (error instanceof KeyDecryptionError) return undefined;
      throw error;
    }
  }
}
