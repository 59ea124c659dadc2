import { createHmac, createSecretKey, hkdfSync } from "node:crypto";
import type { Provider } from "../users/user.ts";

export type AccountPseudonym = (provider: Provider, name: string) => string;

/**
 * A pseudonym of a known or unknown account, for counting and correlation: HMAC-SHA-256 under a key derived from KEY_ENCRYPTION_KEY,
 * cut to 128 bits, hexadecimal. Users sometimes type passwords into the wrong field, so the typed text is never stored.
 */
export function accountPseudonym(secret: string): AccountPseudonym {
  // A KeyObject, because Node converts a Buffer at each use, which costs five times the HMAC.
  const key = createSecretKey(Buffer.from(hkdfSync("sha256", secret, "", "routeql account pseudonym", 32)));
  return (provider, name) => createHmac("sha256", key).update(`${provider}\0${name}`).digest("hex").slice(0, 32);
}
