import { expect, test } from "vitest";
import { NoAccess } from "../errors.ts";
import type { User } from "../users.ts";
import { hasuraNamespace, tokenClaims } from "./token-claims.ts";

const user: User = {
  id: "u1",
  provider: "local",
  email: "a@example.net",
  name: "A",
  role: "tenant",
  organisationId: "o1",
  disabled: false,
};
const policy = { issuer: "routeql", audience: "api", lifeSeconds: 900 };

test("has exactly the claims of the contract", () => {
  const claims = tokenClaims(user, policy, 1_000_000);
  expect(claims).toEqual({
    iss: "routeql",
    aud: "api",
    sub: "u1",
    iat: 1_000_000,
    nbf: 1_000_000,
    exp: 1_000_900,
    jti: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    [hasuraNamespace]: {
      "x-hasura-allowed-roles": ["tenant"],
      "x-hasura-default-role": "tenant",
      "x-hasura-user-id": "u1",
      "x-hasura-org-id": "o1",
    },
  });
  expect(tokenClaims(user, policy, 1_000_000).jti).not.toBe(claims.jti);
});

test("omits the variable without an organisation", () => {
  expect(tokenClaims({ ...user, organisationId: null }, policy, 0)[hasuraNamespace]).not.toHaveProperty(
    "x-hasura-org-id",
  );
});

test.each<[string, Partial<User>]>([
  ["a pending account", { role: "pending" }],
  ["a disabled account", { disabled: true }],
  ["the engine's role admin", { role: "admin" }],
  ["an unknown role", { role: "" }],
])("%s gets no token", (_title, change) => {
  expect(() => tokenClaims({ ...user, ...change }, policy, 0)).toThrow(NoAccess);
});
