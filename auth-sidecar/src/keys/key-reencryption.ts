import { type Database, locks, type Queries, type Statement } from "../database/database.ts";
import type { KeyEncryption } from "./key-encryption.ts";

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

/**
 * Decrypts every private key and stores those of the previous secret again under KEY_ENCRYPTION_KEY: all
 * or none, and once, even with concurrent replicas.
 * @returns ids of the re-encrypted keys
 * @throws {KeyDecryptionError} when neither secret decrypts a key; then nothing changes
 */
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
  const rows = await queries.query<PrivateRow>(privateParts);
  return rows
    .map(({ id, private_key_encrypted: stored }) => ({ id, ...encryption.decrypt(id, stored) }))
    .filter(({ isCurrent }) => !isCurrent);
}
