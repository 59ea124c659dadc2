import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";
import type { Client } from "pg";
import type { FirstAdministrator } from "./settings.ts";

/** As the auth sidecar hashes passwords; it replaces an older hash at the next login. */
const parameters = { parallelism: 1, tagLength: 32, memory: 19_456, passes: 2 } as const;

/** The Argon2id hash in PHC format. */
async function hashPassword(password: string): Promise<string> {
  const nonce = randomBytes(16);
  const tag = await promisify(argon2)("argon2id", { ...parameters, message: password, nonce });
  const text = (bytes: Buffer): string => bytes.toString("base64").replace(/=+$/, "");
  return `$argon2id$v=19$m=${parameters.memory},t=${parameters.passes},p=${parameters.parallelism}$${text(nonce)}$${text(tag)}`;
}

/** Creates the first account, an `operator`, if there is none, so that no service needs its password. @returns the changes */
export async function ensureFirstAdministrator(
  client: Client,
  { email, password }: FirstAdministrator,
): Promise<string[]> {
  const { rows } = await client.query<{ found: boolean }>("select exists (select from auth.users) as found");
  if (rows[0]?.found === true) return [];
  const { rowCount } = await client.query(
    `with administrator as (
       insert into auth.users (id, provider, email, name, password_hash, role)
       select $1, 'local', $2, 'Administrator', $3, 'operator' where not exists (select from auth.users)
       on conflict do nothing
       returning id
     )
     insert into auth.audit_events (occurred_at, event, outcome, user_id, provider)
     select clock_timestamp(), 'first-administrator', 'success', id, 'local' from administrator`,
    [randomBytes(12).toString("hex"), email.toLowerCase(), await hashPassword(password)],
  );
  return rowCount === 1 ? [`created the first administrator, ${email.toLowerCase()}`] : [];
}
