import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from "node:crypto";

const version = 1;
const ivLength = 12;
const tagLength = 16;

/** A private key in the database does not open with this KEY_ENCRYPTION_KEY, or is not what was stored. */
export class KeyDecryptionError extends Error {
  readonly keyId: string;

  constructor(keyId: string, cause?: unknown) {
    super(`signing key ${keyId} does not open with this KEY_ENCRYPTION_KEY`, { cause });
    this.name = "KeyDecryptionError";
    this.keyId = keyId;
  }
}

/**
 * Encrypts private keys with AES-256-GCM under a key derived (HKDF-SHA-256) from KEY_ENCRYPTION_KEY. The key's id is bound in,
 * so that one row's content cannot be moved to another. Form: version (1 byte), iv (12), tag (16), ciphertext.
 */
export class KeyEncryption {
  readonly #key: Buffer;

  constructor(secret: string) {
    this.#key = Buffer.from(hkdfSync("sha256", secret, "", "routeql private signing key", 32));
  }

  encrypt(keyId: string, privateKey: Buffer): Buffer {
    const iv = randomBytes(ivLength);
    const cipher = createCipheriv("aes-256-gcm", this.#key, iv).setAAD(Buffer.from(keyId));
    const ciphertext = Buffer.concat([cipher.update(privateKey), cipher.final()]);
    return Buffer.concat([Buffer.of(version), iv, cipher.getAuthTag(), ciphertext]);
  }

  /** @throws {KeyDecryptionError} */
  decrypt(keyId: string, stored: Buffer): Buffer {
    if (stored[0] !== version || stored.length <= 1 + ivLength + tagLength) throw new KeyDecryptionError(keyId);
    const tag = stored.subarray(1 + ivLength, 1 + ivLength + tagLength);
    try {
      const decipher = createDecipheriv("aes-256-gcm", this.#key, stored.subarray(1, 1 + ivLength), { authTagLength: tagLength })
        .setAAD(Buffer.from(keyId))
        .setAuthTag(tag);
      return Buffer.concat([decipher.update(stored.subarray(1 + ivLength + tagLength)), decipher.final()]);
    } catch (error) {
      throw new KeyDecryptionError(keyId, error);
    }
  }
}
