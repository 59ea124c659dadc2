import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import {
  audience,
  forge,
  frozenNow,
  frozenSeconds,
  goodClaims,
  hmacSecret,
  issuer,
  sign,
} from "../lifecycle/testing/tokens.ts";
import {
  type Authentication,
  type Authenticator,
  type AuthenticatorOptions,
  createAuthenticator,
} from "./authenticator.ts";
import { defaultClaimsNamespace, jwtSettingsSchema } from "./jwt-settings.ts";
import type { RequestHeaders } from "./request-headers.ts";

const adminSecret = "the-admin-secret-of-these-tests-0123456789";
const secretBytes = Buffer.from(hmacSecret);
const jwt = jwtSettingsSchema.parse({ type: "HS256", key: hmacSecret, issuer, audience });

const authenticatorWith = (options: Partial<AuthenticatorOptions>): Promise<Authenticator> =>
  createAuthenticator({
    adminSecret: { current: adminSecret },
    adminSecretHeaders: ["x-engine-access-key"],
    jwt,
    now: () => frozenNow,
    ...options,
  });

async function authenticate(
  headers: RequestHeaders,
  options: Partial<AuthenticatorOptions> = {},
): Promise<Authentication> {
  return (await authenticatorWith(options)).authenticate(headers);
}

async function refusal(headers: RequestHeaders, options: Partial<AuthenticatorOptions> = {}): Promise<EngineError> {
  const outcome = await authenticate(headers, options).catch((error: unknown) => error);
  if (!(outcome instanceof EngineError)) throw new Error("the request was not refused", { cause: outcome });
  return outcome;
}

const bearer = async (claims = goodClaims()): Promise<RequestHeaders> => ({
  authorization: `Bearer ${await sign(claims, "HS256", secretBytes)}`,
});

const secretHeaders = ["x-hasura-admin-secret", "x-hasura-access-key", "x-engine-access-key"];

test.each(secretHeaders)("1: the right secret in %s grants admin", async (name) => {
  const { session, expiresAt } = await authenticate({ [name]: adminSecret });
  expect(session).toMatchObject({ role: "admin", isAdmin: true });
  expect([...session.variables]).toEqual([["x-hasura-role", "admin"]]);
  expect(expiresAt).toBe(Infinity);
});

test.each(secretHeaders)("1: rejects a wrong secret in %s with 401, even beside a valid token", async (name) => {
  const error = await refusal({ [name]: "wrong", ...(await bearer()) });
  expect(error).toMatchObject({ code: "access-denied", status: 401, path: "$" });
  expect(error.message).toBe('invalid "x-hasura-admin-secret"/"x-hasura-access-key"');
});

test("1: an empty secret is a wrong secret", async () => {
  expect((await refusal({ "x-hasura-admin-secret": "" })).status).toBe(401);
});

test("1: a right secret does not hide a wrong one", async () => {
  expect((await refusal({ "x-hasura-admin-secret": adminSecret, "x-engine-access-key": "wrong" })).code).toBe(
    "access-denied",
  );
});

test("1: ignores the token when the secret is present", async () => {
  const { session } = await authenticate({ "x-hasura-admin-secret": adminSecret, authorization: "Bearer nonsense" });
  expect(session.role).toBe("admin");
});

test("1: with the secret, accepts the role and all x-hasura-* headers except the secret", async () => {
  const { session } = await authenticate({
    "x-hasura-admin-secret": adminSecret,
    "x-engine-access-key": adminSecret,
    "x-hasura-role": "tenant",
    "x-hasura-org-id": "org-1",
    "x-other": "ignored",
  });
  expect(session).toMatchObject({ role: "tenant", isAdmin: false });
  expect(Object.fromEntries(session.variables)).toEqual({ "x-hasura-role": "tenant", "x-hasura-org-id": "org-1" });
});

test.each(["bearer", "BEARER"])("accepts the scheme %s in any case", async (scheme) => {
  const token = await sign(goodClaims(), "HS256", secretBytes);
  expect((await authenticate({ authorization: `${scheme} ${token}` })).session.role).toBe("viewer");
});

test.each(["Bearer", "Bearer a b", "Basic dTpw", "", "token"])(
  "3: Authorization %j is malformed",
  async (authorization) => {
    expect(await refusal({ authorization })).toMatchObject({
      code: "invalid-headers",
      status: 400,
      message: "Malformed Authorization header",
    });
  },
);

test("3: the token can come in a cookie or in a header of its own", async () => {
  const tokenIn = (header: object) => ({ jwt: jwtSettingsSchema.parse({ type: "HS256", key: hmacSecret, header }) });
  const cookie = tokenIn({ type: "Cookie", name: "token" });
  const own = tokenIn({ type: "CustomHeader", name: "X-Token" });
  const token = await sign(goodClaims(), "HS256", secretBytes);
  expect((await authenticate({ cookie: `a=b; token=${token}; c=d` }, cookie)).session.role).toBe("viewer");
  expect((await refusal({ cookie: "refresh_token=john_doe" }, cookie)).message).toBe(
    "Missing 'Authorization' or 'Cookie' header in JWT authentication mode",
  );
  expect((await authenticate({ "x-token": token }, own)).session.role).toBe("viewer");
  expect((await refusal({ authorization: `Bearer ${token}` }, own)).code).toBe("invalid-headers");
});

test("4: rejects a request without token in JWT mode", async () => {
  expect(await refusal({ "x-hasura-role": "viewer" })).toMatchObject({
    code: "invalid-headers",
    status: 400,
    message: "Missing 'Authorization' or 'Cookie' header in JWT authentication mode",
  });
});

test("4: rejects a request without secret in admin-secret-only mode", async () => {
  expect(await refusal({ ...(await bearer()) }, { jwt: undefined })).toMatchObject({
    code: "access-denied",
    status: 401,
    message: "x-hasura-admin-secret/x-hasura-access-key required, but not found",
  });
});

test.each([jwt, undefined])("4: without a token the unauthorized role gets all x-hasura-* headers", async (mode) => {
  const headers = { "x-hasura-role": "admin", "x-hasura-user-id": "7" };
  const { session } = await authenticate(headers, { jwt: mode, unauthorizedRole: "anonymous" });
  expect(session).toMatchObject({ role: "anonymous", isAdmin: false });
  expect(Object.fromEntries(session.variables)).toEqual({ "x-hasura-role": "anonymous", "x-hasura-user-id": "7" });
});

test("4: a bad token does not fall back to the unauthorized role", async () => {
  expect((await refusal({ authorization: "Bearer a.b.c" }, { unauthorizedRole: "anonymous" })).code).toBe(
    "invalid-jwt",
  );
});

test("5: the default role applies without x-hasura-role", async () => {
  expect((await authenticate(await bearer())).session.role).toBe("viewer");
});

test("5: x-hasura-role chooses among the allowed roles", async () => {
  const { session } = await authenticate({ ...(await bearer()), "x-hasura-role": "analyst" });
  expect(session.role).toBe("analyst");
  expect(session.variables.get("x-hasura-role")).toBe("analyst");
});

test.each(["admin", "operator", "Viewer"])("5: rejects role %s that the token does not allow", async (role) => {
  expect(await refusal({ ...(await bearer()), "x-hasura-role": role })).toMatchObject({
    code: "access-denied",
    status: 400,
    message: "Your requested role is not in allowed roles",
  });
});

test("5: rejects a default role outside of the allowed ones", async () => {
  expect((await refusal(await bearer(goodClaims({ "x-hasura-default-role": "operator" })))).code).toBe("access-denied");
});

test("5: session variables come only from the claims", async () => {
  const { session } = await authenticate({
    ...(await bearer()),
    "x-hasura-user-id": "someone-else",
    "x-hasura-org-id": "org-1",
  });
  expect(Object.fromEntries(session.variables)).toEqual({ "x-hasura-role": "viewer", "x-hasura-user-id": "user-1" });
});

test("with a list of session variables, the access key sets no others", async () => {
  const headers = {
    "x-hasura-admin-secret": adminSecret,
    "x-hasura-role": "viewer",
    "x-hasura-org-id": "north",
    "x-hasura-user-id": "someone-else",
    "x-hasura-use-backend-only-permissions": "true",
  };
  const { session } = await authenticate(headers, { sessionVariables: ["x-hasura-org-id"] });
  expect(Object.fromEntries(session.variables)).toEqual({ "x-hasura-role": "viewer", "x-hasura-org-id": "north" });
  expect(session).toMatchObject({ credential: "access key" });
  expect(session).not.toHaveProperty("isBackend");
});

test("a session names its token by the token's id", async () => {
  expect((await authenticate(await bearer({ ...goodClaims(), jti: "t1" }))).session.credential).toBe("token t1");
});

test("7: a token with the role admin grants admin", async () => {
  const claims = goodClaims({ "x-hasura-allowed-roles": ["admin"], "x-hasura-default-role": "admin" });
  expect((await authenticate(await bearer(claims))).session.isAdmin).toBe(true);
});

test("a token ends at exp plus the allowed skew", async () => {
  const skewed = jwtSettingsSchema.parse({ type: "HS256", key: hmacSecret, issuer, audience, allowed_skew: 30 });
  expect((await authenticate(await bearer())).expiresAt).toBe(frozenNow + 900_000);
  expect((await authenticate(await bearer(), { jwt: skewed })).expiresAt).toBe(frozenNow + 930_000);
});

test("answers a verified token without a promise until it expires, and rejects it afterwards", async () => {
  let now = frozenNow;
  const authenticator = await authenticatorWith({ now: () => now });
  const headers = await bearer();
  const first = await authenticator.authenticate(headers);
  const second = authenticator.authenticate(headers);
  expect(second).not.toBeInstanceOf(Promise);
  expect((second as Authentication).session).toBe(first.session);
  now = frozenNow + 900_000 - 1;
  expect(authenticator.authenticate(headers)).not.toBeInstanceOf(Promise);
  now = frozenNow + 900_000;
  await expect(Promise.resolve(authenticator.authenticate(headers))).rejects.toThrow(
    "Could not verify JWT: JWTExpired",
  );
});

test("a cached token grants no roles beyond its own", async () => {
  const authenticator = await authenticatorWith({});
  const headers = await bearer();
  await authenticator.authenticate(headers);
  expect(() => authenticator.authenticate({ ...headers, "x-hasura-role": "admin" })).toThrow("not in allowed roles");
});

test("caches at most the configured number of tokens", async () => {
  const authenticator = await authenticatorWith({ cachedTokens: 1 });
  const [one, two] = [await bearer(), await bearer({ ...goodClaims(), sub: "user-2" })];
  await authenticator.authenticate(one);
  await authenticator.authenticate(two);
  expect(authenticator.authenticate(two)).not.toBeInstanceOf(Promise);
  expect(authenticator.authenticate(one)).toBeInstanceOf(Promise);
});

const namespaced = (value: unknown): object => ({ ...goodClaims(), [defaultClaimsNamespace]: value });

const noJson = "expecting a json object when claims_format is json";

test.for<[message: string, claims: object, code?: string]>([
  ["Could not verify JWT: JWTExpired", { ...goodClaims(), exp: frozenSeconds }, "invalid-jwt"],
  [`claims key: '${defaultClaimsNamespace}' not found`, namespaced(undefined)],
  [noJson, namespaced("{}")],
  [noJson, namespaced([])],
  [noJson, namespaced(null)],
  [
    "JWT claim does not contain x-hasura-allowed-roles",
    namespaced({ "x-hasura-default-role": "viewer" }),
    "jwt-missing-role-claims",
  ],
  [
    "JWT claim does not contain x-hasura-default-role",
    namespaced({ "x-hasura-allowed-roles": ["viewer"] }),
    "jwt-missing-role-claims",
  ],
  [
    "invalid x-hasura-allowed-roles; should be a list of roles: parsing [] failed, expected Array, but encountered String",
    goodClaims({ "x-hasura-allowed-roles": "viewer" }),
  ],
  [
    "invalid x-hasura-allowed-roles; should be a list of roles: parsing RoleName failed, expected String, but encountered Number",
    goodClaims({ "x-hasura-allowed-roles": ["viewer", 1] }),
  ],
  [
    "invalid x-hasura-default-role; should be a single role name: parsing RoleName failed, expected String, but encountered Array",
    goodClaims({ "x-hasura-default-role": ["viewer"] }),
  ],
  [
    "x-hasura-* claims: parsing Text failed, expected String, but encountered Number",
    goodClaims({ "x-hasura-user-id": 7 }),
  ],
])("rejects a token: %s", async ([message, claims, code = "jwt-invalid-claims"]) => {
  expect(await refusal(await bearer({ ...claims }))).toMatchObject({ code, message, status: 400, path: "$" });
});

test("rejects a token with a broken signature", async () => {
  const token = forge({ alg: "HS256" }, goodClaims(), "another secret that is also long enough to be one");
  expect((await refusal({ authorization: `Bearer ${token}` })).message).toBe(
    "Could not verify JWT: JWSError JWSInvalidSignature",
  );
});
