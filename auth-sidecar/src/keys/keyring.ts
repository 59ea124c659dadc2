import { createPrivateKey, type KeyObject } from "node:crypto";
import type { Queries, Statement } from "../database.ts";
import type { UnavailableReason } from "@routeql/contract/unavailable";
import { Unavailable } from "../errors.ts";
import type { KeyEncryption } from "./key-encryption.ts";
import type { PublicJwk } from "./signing-key.ts";

export interface StoredKey {
  readonly publicJwk: PublicJwk;
  /** Undefined while this replica cannot decrypt it, for example when another one already has the next KEY_ENCRYPTION_KEY. */
  readonly privateKey: KeyObject | undefined;
  /** The key signs from this time, until a later key's time. */
  readonly signsFrom: Date;
  /** The key is not published after this time; null while no later key exists. */
  readonly retiresAt: Date | null;
}

type AbleKey = StoredKey & { readonly privateKey: KeyObject };

/** The keys in this replica's memory, so that the key set is served during a database outage. */
export class Keyring {
  readonly #load: () => Promise<readonly StoredKey[]>;
  #keys: readonly StoredKey[] = [];
  #missing: UnavailableReason = "keys";

  constructor(load: () => Promise<readonly StoredKey[]>) {
    this.#load = load;
  }

  /** Why no key is known yet. */
  waitsFor(reason: UnavailableReason): void {
    this.#missing = reason;
  }

  /** Reads the keys again; on failure the previous ones stay. */
  async refresh(): Promise<void> {
    this.#keys = await this.#load();
    this.#missing = "keys";
  }

  /** The newest key that may sign now and can be decrypted here. @throws {Unavailable} when there is none */
  signingKey(now = Date.now()): AbleKey {
    const able = this.#keys.filter((key): key is AbleKey => key.privateKey !== undefined);
    const key = able.findLast(({ signsFrom }) => signsFrom.getTime() <= now) ?? able[0];
    return key ?? this.#unavailable();
  }

  #unavailable(): never {
    throw new Unavailable(this.#missing, new Error("no signing key is known"));
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

  /** The same for verifiers, which would cache an empty set and reject every token meanwhile. @throws {Unavailable} when there is none */
  publishedToVerifiers(): PublicJwk[] {
    const keys = this.published();
    return keys.length === 0 ? this.#unavailable() : keys;
  }
}

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

/** Reads auth.signing_keys; {@link KeyRotation} changes them. */
export class KeyRepository {
  readonly #queries: Queries;
  readonly #encryption: KeyEncryption;
  #opened = new Map<string, KeyObject>();

  constructor(queries: Queries, encryption: KeyEncryption) {
    this.#queries = queries;
    this.#encryption = encryption;
  }

  /** All published keys, the oldest first. Each private part is decrypted once; its id identifies the content. */
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

  /** Every key, including retired ones, the oldest first. */
  all(): Promise<KeySummary[]> {
    return this.#queries.query<KeySummary>(summaries);
  }

  #open({ id, private_key_encrypted: stored }: KeyRow): KeyObject | undefined {
    const opened = this.#encryption.open(id, stored);
    return opened && createPrivateKey({ key: opened.privateKey, type: "pkcs8", format: "der" });
  }
}
