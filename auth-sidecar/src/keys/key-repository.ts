import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Queries, Statement } from "../database/database.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { PublicJwk } from "./signing-key.ts";

export interface StoredKey {
  readonly publicJwk: PublicJwk;
  readonly privateKey: KeyObject;
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

  constructor(queries: Queries, encryption: KeyEncryption) {
    this.#queries = queries;
    this.#encryption = encryption;
  }

  /**
   * All keys that are published now, the oldest first.
   * @throws {KeyDecryptionError} when one was stored under another KEY_ENCRYPTION_KEY
   */
  async published(): Promise<StoredKey[]> {
    const rows = await this.#queries.query<KeyRow>(published);
    return rows.map((row) => ({
      publicJwk: row.public_jwk,
      privateKey: createPrivateKey({
        key: this.#encryption.decrypt(row.id, row.private_key_encrypted),
        type: "pkcs8",
        format: "der",
      }),
      signsFrom: row.signs_from,
      retiresAt: row.retires_at,
    }));
  }

  /** Every key there ever was, the oldest first. */
  all(): Promise<KeySummary[]> {
    return this.#queries.query<KeySummary>(summaries);
  }
}
