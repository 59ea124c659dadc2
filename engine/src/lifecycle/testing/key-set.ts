import { exportJWK } from "jose";
import { type Authenticator, type AuthenticatorOptions, createAuthenticator } from "../../auth/authenticator.ts";
import { jwtSettingsSchema } from "../../auth/jwt-settings.ts";
import { audience, frozenNow, goodClaims, issuer, keyPairs, sign } from "./tokens.ts";

const keys = {
  one: { ...(await exportJWK(keyPairs.p256.publicKey)), kid: "one", alg: "ES256" },
  two: { ...(await exportJWK(keyPairs.foreignP256.publicKey)), kid: "two", alg: "ES256" },
};

export interface WithKeySet {
  readonly authenticator: Authenticator;
  readonly now: () => number;
  /** Publishes other keys and revocations; the engine reads them at once. */
  readonly publish: (
    kids: readonly (keyof typeof keys)[],
    revokedBefore?: Readonly<Record<string, number>>,
  ) => Promise<void>;
  /** Lets time pass, in milliseconds. */
  readonly pass: (milliseconds: number) => void;
}

/** Starts with key `one` and without revocations; its clock starts at {@link frozenNow}. */
export async function withKeySet(options: Partial<AuthenticatorOptions> = {}): Promise<WithKeySet> {
  let now = frozenNow;
  let reply: () => Response = () => Response.json({ keys: [keys.one], revoked_before: {} });
  const authenticator = await createAuthenticator({
    adminSecret: { current: "the-admin-secret-of-these-tests-0123456789" },
    adminSecretHeaders: [],
    jwt: jwtSettingsSchema.parse({ jwk_url: "http://keys.example/jwks", issuer, audience }),
    now: () => now,
    fetch: () => Promise.resolve().then(() => reply()),
    ...options,
  });
  const unknown = await sign(goodClaims(), "ES256", keyPairs.p256.privateKey, "unknown");
  return {
    authenticator,
    now: () => now,
    async publish(kids, revokedBefore = {}) {
      reply = () => Response.json({ keys: kids.map((kid) => keys[kid]), revoked_before: revokedBefore });
      // An unknown kid triggers a fetch, ten seconds after the previous one.
      now += 10_000;
      await Promise.resolve(authenticator.authenticate({ authorization: `Bearer ${unknown}` })).catch(() => undefined);
    },
    pass(milliseconds) {
      now += milliseconds;
    },
  };
}

/** A token of an account, signed with key `one`. */
export function tokenOf(account: string, claims: object = {}): Promise<string> {
  return sign({ ...goodClaims(), sub: account, ...claims }, "ES256", keyPairs.p256.privateKey, "one");
}
