import { epochTime } from "../epoch-time.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { User } from "../users/user.ts";
import { signToken } from "./sign-token.ts";
import { tokenClaims, type TokenPolicy } from "./token-claims.ts";

export interface IssuedToken {
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
  async issue(user: User): Promise<IssuedToken> {
    const { publicJwk, privateKey } = this.#keyring.signingKey();
    const claims = tokenClaims(user, this.#policy, epochTime());
    return { token: await signToken(claims, publicJwk, privateKey), id: claims.jti, keyId: publicJwk.kid };
  }
}
