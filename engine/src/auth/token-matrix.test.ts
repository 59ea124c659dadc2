import type { KeyObject } from "node:crypto";
import type { JWTPayload } from "jose";
import { describe, expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import {
  frozenNow,
  frozenSeconds,
  goodClaims,
  hmacSecret,
  issuer,
  audience,
  keyPairs,
  pem,
  sign,
} from "../lifecycle/testing/tokens.ts";
import { createAuthenticator, type Authenticator } from "./authenticator.ts";
import { defaultClaimsNamespace, jwtSettingsSchema, type KeyType } from "./jwt-settings.ts";
import type { RequestHeaders } from "./request-headers.ts";

/** Every kind of key, every place of a token and every place of claims that HASURA_GRAPHQL_JWT_SECRET can name, in all combinations. */

const secret = Buffer.from(hmacSecret);
const otherSecret = Buffer.from("another secret that is long enough to be a key of HS512, which wants 64 bytes of it");

interface Key {
  readonly type: KeyType;
  readonly algorithm: string;
  readonly key: KeyObject | Uint8Array;
  readonly foreign: KeyObject | Uint8Array;
  readonly text: string;
}

const pair = (type: KeyType, algorithm: string, own: keyof typeof keyPairs, foreign: keyof typeof keyPairs): Key => ({
  type,
  algorithm,
  key: keyPairs[own].privateKey,
  foreign: keyPairs[foreign].privateKey,
  text: pem(keyPairs[own].publicKey),
});
const shared = (type: KeyType): Key => ({ type, algorithm: type, key: secret, foreign: otherSecret, text: hmacSecret });

const keys: readonly Key[] = [
  shared("HS256"),
  shared("HS384"),
  shared("HS512"),
  pair("RS256", "RS256", "rsa", "foreignRsa"),
  pair("RS512", "RS512", "rsa", "foreignRsa"),
  pair("ES256", "ES256", "p256", "foreignP256"),
];

const places: readonly (readonly [string, object | undefined, (token: string) => RequestHeaders])[] = [
  ["Authorization", undefined, (token) => ({ authorization: `Bearer ${token}` })],
  ["a cookie", { type: "Cookie", name: "session" }, (token) => ({ cookie: `other=1; session=${token}` })],
  ["a header of its own", { type: "CustomHeader", name: "X-Token" }, (token) => ({ "x-token": token })],
];

type Claims = Readonly<Record<string, unknown>>;
const variables = ["allowed-roles", "default-role", "user-id"] as const;
const mapped = {
  allowed_roles: "x-hasura-allowed-roles",
  default_role: "x-hasura-default-role",
  user_id: "x-hasura-user-id",
};

const forms: readonly (readonly [string, object, (claims: Claims) => object])[] = [
  ["the default namespace", {}, (claims) => ({ [defaultClaimsNamespace]: claims })],
  ["a namespace", { claims_namespace: "app" }, (claims) => ({ app: claims })],
  ["a path", { claims_namespace_path: "$.app['a.b'][0]" }, (claims) => ({ app: { "a.b": [claims] } })],
  ["a path to the whole token", { claims_namespace_path: "$" }, (claims) => claims],
  [
    "stringified JSON",
    { claims_format: "stringified_json" },
    (claims) => ({ [defaultClaimsNamespace]: JSON.stringify(claims) }),
  ],
  [
    "a map",
    {
      claims_map: Object.fromEntries(
        variables.map((name) => [`x-hasura-${name}`, { path: `$.app.${name.replace("-", "_")}` }]),
      ),
    },
    (claims) => ({ app: Object.fromEntries(Object.entries(mapped).map(([key, name]) => [key, claims[name]])) }),
  ],
];

const good = {
  "x-hasura-allowed-roles": ["viewer", "analyst"],
  "x-hasura-default-role": "viewer",
  "x-hasura-user-id": "user-1",
};

function payload(claims: object, more: JWTPayload = {}): JWTPayload {
  const { iss, aud, iat, nbf, exp } = goodClaims();
  return { iss, aud, iat, nbf, exp, ...claims, ...more };
}

async function refusal(authenticator: Authenticator, headers: RequestHeaders): Promise<string> {
  try {
    await authenticator.authenticate(headers);
  } catch (error) {
    if (error instanceof EngineError) return `${String(error.status)} ${error.code}: ${error.message}`;
  }
  throw new Error("the token was not refused");
}

describe.each(keys)("accepts a key of type $type", ({ type, text, key, foreign, algorithm }) => {
  describe.each(places)("in %s", (_place, header, carry) => {
    test.each(forms)("accepts claims in %s", async (_form, settings, wrap) => {
      const jwt = jwtSettingsSchema.parse({
        type,
        key: text,
        issuer,
        audience,
        ...(header === undefined ? {} : { header }),
        ...settings,
      });
      const authenticator = await createAuthenticator({
        adminSecret: { current: "s".repeat(40) },
        adminSecretHeaders: [],
        jwt,
        now: () => frozenNow,
      });
      const token = async (claims: Claims, more?: JWTPayload, by = key) =>
        carry(await sign(payload(wrap(claims), more), algorithm, by));

      const { session, expiresAt } = await authenticator.authenticate(await token(good));
      expect([session.role, session.isAdmin, session.variables.get("x-hasura-user-id"), expiresAt]).toEqual([
        "viewer",
        false,
        "user-1",
        frozenNow + 900_000,
      ]);
      const chosen = await authenticator.authenticate({
        ...(await token(good)),
        "x-hasura-role": "analyst",
        "x-hasura-user-id": "forged",
      });
      expect([chosen.session.role, chosen.session.variables.get("x-hasura-user-id")]).toEqual(["analyst", "user-1"]);

      expect(await refusal(authenticator, { ...(await token(good)), "x-hasura-role": "admin" })).toBe(
        "400 access-denied: Your requested role is not in allowed roles",
      );
      expect(await refusal(authenticator, await token(good, { exp: frozenSeconds - 1 }))).toBe(
        "400 invalid-jwt: Could not verify JWT: JWTExpired",
      );
      expect(await refusal(authenticator, await token(good, { aud: "other" }))).toBe(
        "400 invalid-jwt: Could not verify JWT: JWTNotInAudience",
      );
      expect(await refusal(authenticator, await token(good, { iss: "other" }))).toBe(
        "400 invalid-jwt: Could not verify JWT: JWTNotInIssuer",
      );
      expect(await refusal(authenticator, await token(good, undefined, foreign))).toBe(
        "400 invalid-jwt: Could not verify JWT: JWSError JWSInvalidSignature",
      );
      const { "x-hasura-default-role": _default, ...withoutDefault } = good;
      expect(await refusal(authenticator, await token(withoutDefault))).toBe(
        "400 jwt-missing-role-claims: JWT claim does not contain x-hasura-default-role",
      );
      expect(await refusal(authenticator, await token({ ...good, "x-hasura-allowed-roles": "viewer" }))).toBe(
        "400 jwt-invalid-claims: invalid x-hasura-allowed-roles; should be a list of roles: parsing [] failed, expected Array, but encountered String",
      );
      expect(await refusal(authenticator, {})).toBe(
        "400 invalid-headers: Missing 'Authorization' or 'Cookie' header in JWT authentication mode",
      );
    });
  });
});

test.each([0, 60])("with an allowed skew of %i seconds, a token ends exactly that much later", async (skew) => {
  const jwt = jwtSettingsSchema.parse({ type: "HS256", key: hmacSecret, issuer, audience, allowed_skew: skew });
  const authenticator = await createAuthenticator({
    adminSecret: { current: "s".repeat(40) },
    adminSecretHeaders: [],
    jwt,
    now: () => frozenNow,
  });
  const expired = async (seconds: number) => ({
    authorization: `Bearer ${await sign({ ...goodClaims(), exp: frozenSeconds - seconds }, "HS256", secret)}`,
  });
  await expect(authenticator.authenticate(await expired(skew - 1))).resolves.toMatchObject({
    session: { role: "viewer" },
  });
  expect(await refusal(authenticator, await expired(skew + 1))).toContain("JWTExpired");
});

test.each<[string, string | string[], string | string[], boolean]>([
  ["the one", "a", "a", true],
  ["another", "a", "b", false],
  ["one of several", ["a", "b"], "b", true],
  ["several, one of them right", "a", ["c", "a"], true],
  ["several, none of them right", ["a", "b"], ["c", "d"], false],
  ["none", "a", [], false],
])("a token for %s audience", async (_title, configured, given, accepted) => {
  const jwt = jwtSettingsSchema.parse({ type: "HS256", key: hmacSecret, audience: configured });
  const authenticator = await createAuthenticator({
    adminSecret: { current: "s".repeat(40) },
    adminSecretHeaders: [],
    jwt,
    now: () => frozenNow,
  });
  const headers = { authorization: `Bearer ${await sign({ ...goodClaims(), aud: given }, "HS256", secret)}` };
  if (accepted) await expect(authenticator.authenticate(headers)).resolves.toBeDefined();
  else expect(await refusal(authenticator, headers)).toBe("400 invalid-jwt: Could not verify JWT: JWTNotInAudience");
});
