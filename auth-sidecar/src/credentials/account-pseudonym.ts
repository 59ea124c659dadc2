import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { Provider } from "../users/user.ts";

export type AccountPseudonym = (provider: Provider, name: string) => string;

/**
 * A name for an account, known or not, that counts and correlates without telling: HMAC-SHA-256 under a key derived from
 * KEY_ENCRYPTION_KEY, cut to 128 bits, hexadecimal. People type passwords into the wrong field, so what they typed is never
 * kept.
 */
export function accountPseudonym(secret: string): AccountPseudonym {
  // As a KeyObject, since a Buffer is made into one at each use, for five times what the HMAC costs.
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "routeql account pseudonym", 32)));
  return (provider, name) => createHmac("sha256", key).update(`${provider}\0${name}`).digest("hex").slice(0, 32);
}
