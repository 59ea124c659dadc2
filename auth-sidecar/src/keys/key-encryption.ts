import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";
import { type Database, locks, type Queries, type Statement } from "../database.ts";

const version = 1;
const ivLength = 12;
const tagLength = 16;

/** A private key in the database cannot be decrypted with KEY_ENCRYPTION_KEY or the previous one, or was modified. */
export class KeyDecryptionError extends Error {
  readonly keyId: string;

  constructor(keyId: string, cause?: unknown) {
    super(`signing key ${keyId} does not open with this KEY_ENCRYPTION_KEY, nor with a previous one`, { cause });
    this.name = "KeyDecryptionError";
    this.keyId = keyId;
  }
}

export interface OpenedKey {
  readonly privateKey: Buffer;
  /** False if it was stored under PREVIOUS_KEY_ENCRYPTION_KEY. */
  readonly isCurrent: boolean;
}

/**
 * Encrypts private keys with AES-256-GCM under a key derived (HKDF-SHA-256) from KEY_ENCRYPTION_KEY, and also decrypts keys
 * of the previous secret. The key's id is authenticated, so one row's content cannot be moved to another. Format: version
 * (1 byte), iv (12), tag (16), ciphertext.
 */
export class KeyEncryption {
  readonly #current: Buffer;
  readonly #previous: Buffer | undefined;

  /** @param previous value of KEY_ENCRYPTION_KEY before its last change */
  constructor(secret: string, previous?: string) {
    this.#current = derived(secret);
    this.#previous = previous === undefined ? undefined : derived(previous);
  }

  encrypt(keyId: string, privateKey: Buffer): Buffer {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv("aes-256-gcm", this.#current, iv).setAAD(Buffer.from(keyId));
    const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), ciphertext]);
  }

  /** Undefined when neither secret decrypts the key. */
  open(keyId: string, stored: Buffer): OpenedKey | undefined {
    try {
      return this.decrypt(keyId, stored);
    } catch (error) {
      if (error instanceof KeyDecryptionError) return undefined;
      throw error;
    }
  }

  /** @throws {KeyDecryptionError} */
  decrypt(keyId: string, stored: Buffer): OpenedKey {
    if (stored[0] !== version || stored.length <= 1 + ivLength + tagLength) throw new KeyDecryptionError(keyId);
    try {
      return { privateKey: opened(this.#current, keyId, stored), isCurrent: true };
    } catch (error) {
      if (this.#previous === undefined) throw new KeyDecryptionError(keyId, error);
    }
    try {
      return { privateKey: opened(this.#previous, keyId, stored), isCurrent: false };
    } catch (error) {
      throw new KeyDecryptionError(keyId, error);
    }
  }
}

function derived(secret: string): Buffer {
  return Buffer.from(hkdfSync("sha256", secret, "", "routeql private signing key", 32));
}

function opened(key: Buffer, keyId: string, stored: Buffer): Buffer {
  const ciphertext = 1 + ivLength + tagLength;
  const decipher = createDecipheriv("aes-256-gcm", key, stored.subarray(1, 1 + ivLength), { authTagLength: tagLength })
    .setAAD(Buffer.from(keyId))
    .setAuthTag(stored.subarray(1 + ivLength, ciphertext));
  return Buffer.concat([decipher.update(stored.subarray(ciphertext)), decipher.final()]);
}

interface PrivateRow {
  id: string;
  private_key_encrypted: Buffer;
}

const privateParts: Statement = {
  name: "private-keys",
  text: "select id, private_key_encrypted from auth.signing_keys where retired_at is null order by id",
};
const store: Statement = {
  name: "store-private-key",
  text: "update auth.signing_keys set private_key_encrypted = $2 where id = $1 and retired_at is null",
};

/** Stores keys of the previous secret under KEY_ENCRYPTION_KEY, once even with concurrent replicas. @returns ids of these keys */
export async function reencryptKeys(database: Database, encryption: KeyEncryption): Promise<string[]> {
  // Without keys to re-encrypt, the lock is not needed.
  if ((await previouslyEncrypted(database, encryption)).length === 0) return [];
  return database.locked(locks.signingKeys, async (queries) => {
    const keys = await previouslyEncrypted(queries, encryption);
    for (const { id, privateKey } of keys) await queries.query(store, [id, encryption.encrypt(id, privateKey)]);
    return keys.map(({ id }) => id);
  });
}

async function previouslyEncrypted(queries: Queries, encryption: KeyEncryption) {
  return (await openedKeys(queries, encryption)).flatMap(({ id, opened: key }) =>
    key === undefined || key.isCurrent ? [] : [{ id, privateKey: key.privateKey }],
  );
}

/** Every key that is not retired; `opened` is undefined when neither secret decrypts it. */
async function openedKeys(queries: Queries, encryption: KeyEncryption) {
  const rows = await queries.query<PrivateRow>(privateParts);
  return rows.map(({ id, private_key_encrypted: stored }) => ({ id, opened: encryption.open(id, stored) }));
}

/** Ids of the keys that neither secret decrypts, as after a restore into a stack with other secrets. */
export async function unopenedKeys(queries: Queries, encryption: KeyEncryption): Promise<string[]> {
  return (await openedKeys(queries, encryption)).flatMap(({ id, opened: key }) => (key === undefined ? [id] : []));
}
