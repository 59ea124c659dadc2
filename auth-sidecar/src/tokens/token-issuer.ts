import jsonwebtoken from "jsonwebtoken";
import { epochTime } from "../epoch-time.ts";
import type { Keyring } from "../keys/keyring.ts";
import { signingAlgorithm } from "../keys/signing-key.ts";
import type { User } from "../users/user.ts";
import { tokenClaims, type TokenPolicy } from "./token-claims.ts";

export interface IssuedToken {
  /** Compact JWS (RFC 7515, 3.1). */
  readonly token: string;
  readonly id: string;
  readonly keyId: string;
}

export class TokenIssuer {
  readonly #keyring: Keyring;
  readonly #policy: TokenPolicy;

  constructor(keyring: Keyring, policy: TokenPolicy) {
    this.#keyring = keyring;
    this.#policy = policy;
  }

  /**
   * @throws {NoAccess} for an account that may not have a token
   * @throws {Unavailable} when there is no key yet
   */
  issue(user: User): IssuedToken {
    const { publicJwk, privateKey } = this.#keyring.signingKey();
    const claims = tokenClaims(user, this.#policy, epochTime());
    const token = jsonwebtoken.sign(claims, privateKey, { algorithm: signingAlgorithm, keyid: publicJwk.kid });
    return { token, id: claims.jti, keyId: publicJwk.kid };
  }
}
