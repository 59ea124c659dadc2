import { type KeyObject, randomUUID } from "node:crypto";
import { SignJWT } from "jose";
import jsonwebtoken from "jsonwebtoken";
import type { Keyring } from "../keys/keyring.ts";
import type { PublicJwk } from "../keys/signing-key.ts";
import type { User } from "../users.ts";
import { tokenClaims, type TokenPolicy } from "./token-claims.ts";

/** Whole seconds since 1970-01-01T00:00:00Z (RFC 7519 NumericDate). */
const epochTime = (date = Date.now()): number => Math.floor(date / 1000);

/** A token before its signature, with its id and key, so that it can be recorded before it exists. */
export interface PendingToken {
  readonly id: string;
  readonly keyId: string;
  /** Seconds since the epoch. */
  readonly issuedAt: number;
  /** @throws {NoAccess} for an account that may not have a token */
  sign(user: User): Promise<string>;
}

export class TokenIssuer {
  readonly #keyring: Keyring;
  readonly #policy: TokenPolicy;

  constructor(keyring: Keyring, policy: TokenPolicy) {
    this.#keyring = keyring;
    this.#policy = policy;
  }

  /** Begin before the account is read: a later change of it then revokes the token. @throws {Unavailable} when there is no key yet */
  begin(): PendingToken {
    const { publicJwk, privateKey } = this.#keyring.signingKey();
    const id = randomUUID();
    const issuedAt = epochTime();
    return {
      id,
      keyId: publicJwk.kid,
      issuedAt,
      sign: (user) => signToken(tokenClaims(user, this.#policy, issuedAt, id), publicJwk, privateKey),
    };
  }
}

/** Compact JWS (RFC 7515, 3.1). jsonwebtoken is several times faster than jose, but does not support EdDSA. */
export async function signToken(claims: object, { alg, kid }: PublicJwk, privateKey: KeyObject): Promise<string> {
  if (alg === "EdDSA") return new SignJWT({ ...claims }).setProtectedHeader({ alg, typ: "JWT", kid }).sign(privateKey);
  return jsonwebtoken.sign(claims, privateKey, { algorithm: alg, keyid: kid });
}
