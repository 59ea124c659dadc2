import { type Database, locks, type Queries, type Statement } from "../database.ts";
import type { Settings } from "../settings.ts";
import { type KeyEncryption, unopenedKeys } from "./key-encryption.ts";
import type { SigningAlgorithm } from "@routeql/sidecar-settings/token-algorithm";
import { generateSigningKey } from "./signing-key.ts";

/** Durations of a rotation's phases: publish, wait, sign, wait, retire. All in seconds. */
export interface RotationPolicy {
  /** Of the next key. */
  readonly algorithm: SigningAlgorithm;
  /** From publishing a key to its first signature. */
  readonly publishedBeforeSigning: number;
  /** From the next key's first token to the retirement of this one. */
  readonly publishedAfterSigning: number;
  /** From publishing the successor of a withdrawn key to its first signature, because each replica signs with the keys that it knows. */
  readonly publishedBeforeReplacing: number;
  /** Age at which a signing key is replaced; 0 for never. */
  readonly period: number;
}

export function rotationPolicy(settings: Settings): RotationPolicy {
  const { JWKS_MAX_AGE_SECONDS: maxAge, KEY_REFRESH_SECONDS: refresh, TOKEN_LIFE_SECONDS: life } = settings;
  return {
    algorithm: settings.TOKEN_ALGORITHM,
    // Every replica publishes the key one refresh later. A verifier that fetched the set just before caches it for max-age. One
    // more refresh is a reserve.
    publishedBeforeSigning: maxAge + 2 * refresh,
    // The old key's last token may be signed one refresh after its successor's time.
    publishedAfterSigning: life + 2 * refresh,
    publishedBeforeReplacing: refresh + 1,
    period: settings.KEY_ROTATION_HOURS * 3600,
  };
}

export interface Rotation {
  readonly id: string;
  readonly signsFrom: Date;
  /** Ids of the keys that it replaces. */
  readonly replaces: readonly string[];
}

export interface Retirement {
  readonly id: string;
  /** The key that signs once this one is withdrawn, and the time of both; undefined if another key signs already. */
  readonly replacement: Pick<Rotation, "id" | "signsFrom"> | undefined;
}

/** A published key does not sign yet. */
export class RotationUnderWay extends Error {
  constructor() {
    super("a rotation is under way: a key is published that does not sign yet");
    this.name = "RotationUnderWay";
  }
}

interface CurrentRow {
  id: string;
  algorithm: string;
  waiting: boolean;
  /** Seconds since its first signature time. */
  age: number;
  /** Seconds since its creation. */
  existence: number;
}

const current: Statement = {
  name: "current-keys",
  text: `
    select id, algorithm, signs_from > now() as waiting, extract(epoch from now() - signs_from)::float8 as age,
      extract(epoch from now() - created_at)::float8 as existence
    from auth.signing_keys where retired_at is null and retires_at is null order by signs_from desc`,
};
const insert: Statement = {
  name: "insert-key",
  text: `
    insert into auth.signing_keys (id, algorithm, public_jwk, private_key_encrypted, published_at, signs_from)
    values ($1, $2, $3, $4, now(), now() + make_interval(secs => $5)) returning signs_from`,
};
const replace: Statement = {
  name: "replace-keys",
  text: `
    update auth.signing_keys set retires_at = now() + make_interval(secs => $2)
    where id <> $1 and retired_at is null and retires_at is null returning id`,
};
// Deletes the private part; the rest documents when it was in use.
const retire: Statement = {
  name: "retire-key",
  text: `
    update auth.signing_keys set retires_at = least(retires_at, now()), retired_at = now(), private_key_encrypted = ''
    where id = $1 and retired_at is null and (retires_at is null or retires_at > now()) returning id`,
};
const retireSoon: Statement = {
  name: "retire-key-soon",
  text: `
    update auth.signing_keys set retires_at = least(retires_at, now() + make_interval(secs => $2))
    where id = $1 and retired_at is null and (retires_at is null or retires_at > now()) returning id`,
};
const signSoon: Statement = {
  name: "sign-soon",
  text: `
    update auth.signing_keys set signs_from = least(signs_from, now() + make_interval(secs => $2))
    where id = $1 returning signs_from`,
};
const retireExpired: Statement = {
  name: "retire-expired-keys",
  text: `
    update auth.signing_keys set retired_at = now(), private_key_encrypted = ''
    where retires_at <= now() and retired_at is null returning id`,
};

// Every replica reads its keys again each few seconds and so keeps a connection.
const otherReplicas: Statement = {
  name: "other-replicas",
  text: `
    select exists (
      select from pg_stat_activity
      where datname = current_database() and usename = current_user
        and application_name like 'auth-sidecar %' and application_name <> current_setting('application_name')
    ) as found`,
};

/** All changes of the signing keys. Each method holds the key lock, so that replicas do each job once. */
export class KeyRotation {
  readonly #database: Database;
  readonly #encryption: KeyEncryption;
  readonly #policy: RotationPolicy;
  readonly #startedAt = performance.now();

  constructor(database: Database, encryption: KeyEncryption, policy: RotationPolicy) {
    this.#database = database;
    this.#encryption = encryption;
    this.#policy = policy;
  }

  /** Creates the first key if there is none. It signs at once: no verifier can have cached an older key set. */
  createFirst(): Promise<Rotation | undefined> {
    return this.#locked(async (queries) => {
      const keys = await queries.query<CurrentRow>(current);
      return keys.length > 0 ? undefined : this.#add(queries, 0);
    });
  }

  /** Publishes a key that signs once every verifier must have seen it, and sets when the old ones retire. @throws {RotationUnderWay} */
  rotate(): Promise<Rotation> {
    return this.#locked(async (queries) => {
      const keys = await queries.query<CurrentRow>(current);
      if (keys.some(({ waiting }) => waiting)) throw new RotationUnderWay();
      return this.#add(queries, keys.length === 0 ? 0 : this.#policy.publishedBeforeSigning);
    });
  }

  /** Rotates when the newest key is older than the period or has another algorithm than the configured one. */
  async rotateIfDue(): Promise<Rotation | undefined> {
    if (!this.#isDue(await this.#database.query<CurrentRow>(current))) return undefined;
    return this.#locked(async (queries) => {
      const due = this.#isDue(await queries.query<CurrentRow>(current));
      return due ? this.#add(queries, this.#policy.publishedBeforeSigning) : undefined;
    });
  }

  /**
   * Withdraws a leaked key: verifiers reject its tokens once they read the key set again. The only signing key signs until every replica
   * publishes its successor; otherwise verifiers would reject the tokens of some replicas. @returns undefined for an unknown key
   */
  retire(id: string): Promise<Retirement | undefined> {
    return this.#locked(async (queries) => {
      const others = (await queries.query<CurrentRow>(current)).filter((key) => key.id !== id);
      const isReplaced = others.some(({ waiting }) => !waiting);
      const delay = this.#policy.publishedBeforeReplacing;
      const [retired] = await queries.query(isReplaced ? retire : retireSoon, isReplaced ? [id] : [id, delay]);
      if (retired === undefined) return undefined;
      return { id, replacement: isReplaced ? undefined : await this.#replaceSoon(queries, others[0]?.id) };
    });
  }

  /** @param next a published key that does not sign yet */
  async #replaceSoon(queries: Queries, next: string | undefined): Promise<Pick<Rotation, "id" | "signsFrom">> {
    const delay = this.#policy.publishedBeforeReplacing;
    if (next === undefined) return this.#add(queries, delay);
    const [row] = await queries.query<{ signs_from: Date }>(signSoon, [next, delay]);
    return { id: next, signsFrom: row!.signs_from };
  }

  /** Withdraws every key that does not open with KEY_ENCRYPTION_KEY: it cannot sign, and its tokens belong to a stack with other secrets. */
  retireUnopened(): Promise<string[]> {
    return this.#locked(async (queries) => {
      const ids = await unopenedKeys(queries, this.#encryption);
      for (const id of ids) await queries.query(retire, [id]);
      return ids;
    });
  }

  /** Whether another replica uses the same database, under any KEY_ENCRYPTION_KEY. */
  async hasOtherReplicas(): Promise<boolean> {
    return (await this.#database.query<{ found: boolean }>(otherReplicas))[0]?.found === true;
  }

  /** Retires the keys whose retirement time has passed. @returns their ids */
  async retireExpired(): Promise<string[]> {
    return (await this.#database.query<{ id: string }>(retireExpired)).map(({ id }) => id);
  }

  #isDue(keys: readonly CurrentRow[]): boolean {
    const [newest] = keys;
    if (newest === undefined || newest.waiting) return false;
    const { algorithm, period } = this.#policy;
    // A key that is younger than this replica comes from a replica with a newer setting: during a rolling update, old replicas must not
    // rotate back.
    const isOlderThanThis = newest.existence > (performance.now() - this.#startedAt) / 1000;
    return (newest.algorithm !== algorithm && isOlderThanThis) || (period > 0 && newest.age >= period);
  }

  async #add(queries: Queries, delay: number): Promise<Rotation> {
    const { publicJwk, privateKey } = await generateSigningKey(this.#policy.algorithm);
    const { kid: id, alg } = publicJwk;
    const encrypted = this.#encryption.encrypt(id, privateKey.export({ type: "pkcs8", format: "der" }));
    const [inserted] = await queries.query<{ signs_from: Date }>(insert, [
      id,
      alg,
      JSON.stringify(publicJwk),
      encrypted,
      delay,
    ]);
    const replaced = await queries.query<{ id: string }>(replace, [id, delay + this.#policy.publishedAfterSigning]);
    return { id, signsFrom: inserted!.signs_from, replaces: replaced.map(({ id }) => id) };
  }

  #locked<Result>(work: (queries: Queries) => Promise<Result>): Promise<Result> {
    return this.#database.locked(locks.signingKeys, work);
  }
}
