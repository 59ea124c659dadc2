import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import { goodClaims } from "../lifecycle/testing/tokens.ts";
import { grantedClaims } from "./claims.ts";
import { jwtSettingsSchema, type JwtSettings } from "./jwt-settings.ts";

const base = { type: "HS256", key: "0123456789abcdef0123456789abcdef" };
const settings = (more: object): JwtSettings => jwtSettingsSchema.parse({ ...base, ...more });
const roles = { "x-hasura-allowed-roles": ["viewer"], "x-hasura-default-role": "viewer" };

function refusal(payload: Record<string, unknown>, where: JwtSettings): string {
  try {
    grantedClaims(payload, where);
  } catch (error) {
    if (error instanceof EngineError) return `${error.code}: ${error.message}`;
  }
  throw new Error("the claims were not refused");
}

test("claim names are case-insensitive, and names that are not x-hasura-* are dropped", () => {
  const namespace = {
    "X-Hasura-Allowed-Roles": ["viewer"],
    "X-HASURA-Default-Role": "viewer",
    "X-Hasura-User-Id": "7",
    email: 5,
  };
  const claims = grantedClaims({ "https://hasura.io/jwt/claims": namespace }, settings({}));
  expect(claims.defaultRole).toBe("viewer");
  expect([...claims.allowedRoles]).toEqual(["viewer"]);
  expect([...claims.variables]).toEqual([["x-hasura-user-id", "7"]]);
});

test("a configured namespace replaces the default one", () => {
  expect(grantedClaims({ mine: roles }, settings({ claims_namespace: "mine" })).defaultRole).toBe("viewer");
  expect(refusal(goodClaims(), settings({ claims_namespace: "mine" }))).toBe(
    "jwt-invalid-claims: claims key: 'mine' not found",
  );
});

test.each([
  ["$", roles],
  ["$.hasura", { hasura: roles }],
  ["hasura.claims", { hasura: { claims: roles } }],
  ["$['https://a.example/b'][1]", { "https://a.example/b": [0, roles] }],
])("finds claims at the namespace path %s", (path, payload) => {
  expect(grantedClaims(payload, settings({ claims_namespace_path: path })).defaultRole).toBe("viewer");
});

test("the error names an empty namespace path", () => {
  expect(refusal({}, settings({ claims_namespace_path: "$.a.b" }))).toBe(
    "jwt-invalid-claims: claims not found at claims_namespace_path: '$.a.b'",
  );
});

test("parses stringified claims", () => {
  const stringified = settings({ claims_format: "stringified_json", claims_namespace: "mine" });
  expect(grantedClaims({ mine: JSON.stringify(roles) }, stringified).defaultRole).toBe("viewer");
  expect(refusal({ mine: roles }, stringified)).toBe(
    "jwt-invalid-claims: expecting a string when claims_format is stringified_json",
  );
  expect(refusal({ mine: "{" }, stringified)).toContain("expecting stringified json at: 'claims_namespace mine'");
  expect(refusal({ mine: "[]" }, stringified)).toContain("expecting stringified json");
});

const map = {
  "x-hasura-allowed-roles": { path: "$.app.roles", default: ["viewer"] },
  "x-hasura-default-role": { path: "$.app.role" },
  "X-Hasura-User-Id": { path: "$.sub" },
  "x-hasura-org-id": { path: "$.org", default: "none" },
  "x-hasura-fixed": "same for all",
};

test("a claims map takes values from paths, defaults and literals", () => {
  const claims = grantedClaims({ sub: "7", app: { roles: ["a", "b"], role: "b" } }, settings({ claims_map: map }));
  expect([...claims.allowedRoles]).toEqual(["a", "b"]);
  expect(claims.defaultRole).toBe("b");
  expect(Object.fromEntries(claims.variables)).toEqual({
    "x-hasura-user-id": "7",
    "x-hasura-org-id": "none",
    "x-hasura-fixed": "same for all",
  });
});

test("literal roles in a claims map need no claims of the token", () => {
  const literal = settings({ claims_map: { "x-hasura-allowed-roles": ["user"], "x-hasura-default-role": "user" } });
  expect(grantedClaims({}, literal)).toMatchObject({ defaultRole: "user" });
});

test.each<[string, Record<string, unknown>, string]>([
  [
    "no user id",
    { app: { role: "viewer" } },
    "jwt-invalid-claims: JWT claim from claims_map, x-hasura-user-id not found",
  ],
  ["neither role nor user id", {}, "jwt-missing-role-claims: JWT claim does not contain x-hasura-default-role"],
  [
    "a numeric user id",
    { sub: 7, app: { role: "viewer" } },
    "jwt-invalid-claims: x-hasura-* claims: parsing Text failed, expected String, but encountered Number",
  ],
  [
    "roles that are no list",
    { sub: "7", app: { roles: {}, role: "viewer" } },
    "jwt-invalid-claims: invalid x-hasura-allowed-roles; should be a list of roles: parsing [] failed, expected Array, but encountered Object",
  ],
  [
    "a role that is no string",
    { sub: "7", app: { role: true } },
    "jwt-invalid-claims: invalid x-hasura-default-role; should be a role: parsing RoleName failed, expected String, but encountered Boolean",
  ],
])("a claims map rejects %s", (_title, payload, message) => {
  expect(refusal(payload, settings({ claims_map: map }))).toBe(message);
});

test("inherited properties are not claims", () => {
  expect(refusal({}, settings({ claims_namespace: "constructor" }))).toContain("not found");
});
