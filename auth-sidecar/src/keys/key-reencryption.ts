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
 * Opens every private key there is, and stores those again under KEY_ENCRYPTION_KEY that were stored under the previous one: all
 * of them or none, and once, however many replicas do it at the same time.
 * @returns ids of the keys that were stored again
 * @throws {KeyDecryptionError} when one opens under neither; then nothing is changed
 */
export async function reencryptKeys(database: Database, encryption: KeyEncryption): Promise<string[]> {
  // Nothing to write, nothing to wait for: the lock is for the one time after a change.
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
