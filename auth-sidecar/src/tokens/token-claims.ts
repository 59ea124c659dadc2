import { randomUUID } from "node:crypto";
import { NoAccess } from "../errors.ts";
import { isRoleName } from "@routeql/contract/roles";
import { hasAccess, type User } from "../users.ts";

/** Claim with the engine's session variables. Hasura v2, "Authentication using JWT". */
export const hasuraNamespace = "https://hasura.io/jwt/claims";

export interface TokenClaims {
  readonly iss: string;
  readonly aud: string;
  /** User id. */
  readonly sub: string;
  readonly iat: number;
  readonly nbf: number;
  readonly exp: number;
  readonly jti: string;
  readonly [hasuraNamespace]: {
    readonly "x-hasura-allowed-roles": readonly string[];
    readonly "x-hasura-default-role": string;
    readonly "x-hasura-user-id": string;
    /** Only for a user with an organisation. */
    readonly "x-hasura-org-id"?: string;
  };
}

export interface TokenPolicy {
  readonly issuer: string;
  readonly audience: string;
  /** TOKEN_LIFE_SECONDS (packages/sidecar-settings/numbers.ts). The engine rejects longer ones. A change of the account or a retired key ends one earlier. */
  readonly lifeSeconds: number;
}

/** Claims of an access token (RFC 7519, 4.1), at `now` in seconds. @throws {NoAccess} for an account that may not have a token */
export function tokenClaims(
  user: User,
  { issuer, audience, lifeSeconds }: TokenPolicy,
  now: number,
  id: string = randomUUID(),
): TokenClaims {
  // The role is checked here again, independent of the caller: `admin` in a token would be the engine's master key.
  if (!hasAccess(user) || !isRoleName(user.role)) throw new NoAccess();
  return {
    iss: issuer,
    aud: audience,
    sub: user.id,
    iat: now,
    nbf: now,
    exp: now + lifeSeconds,
    jti: id,
    [hasuraNamespace]: {
      "x-hasura-allowed-roles": [user.role],
      "x-hasura-default-role": user.role,
      "x-hasura-user-id": user.id,
      ...(user.organisationId === null ? {} : { "x-hasura-org-id": user.organisationId }),
    },
  };
}
