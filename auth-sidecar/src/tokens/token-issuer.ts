import { randomUUID } from "node:crypto";
import { epochTime } from "../epoch-time.ts";
import type { Keyring } from "../keys/keyring.ts";
import type { User } from "../users/user.ts";
import { signToken } from "./sign-token.ts";
import { tokenClaims, type TokenPolicy } from "./token-claims.ts";

/** A token before its signature, with its id and key, so that it can be recorded before it exists. */
export interface PendingToken {
  readonly id: string;
  readonly keyId: string;
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

  /** @throws {Unavailable} when there is no key yet */
  begin(): PendingToken {
    const { publicJwk, privateKey } = this.#keyring.signingKey();
    const id = randomUUID();
    return {
      id,
      keyId: publicJwk.kid,
      sign: (user) => signToken(tokenClaims(user, this.#policy, epochTime(), id), publicJwk, privateKey),
    };
  }
}
