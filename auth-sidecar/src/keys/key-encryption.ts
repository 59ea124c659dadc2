import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

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

/** A decrypted private key. */
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
