import { beforeAll, describe, expect, test } from "vitest";
import { Member } from "./support/clients/accounts.ts";
import { loadDemo } from "./support/data/data.ts";
import { data, master, post, refusal } from "./support/clients/graphql.ts";
import { call } from "./support/clients/http.ts";
import { claimsOf, headerOf } from "./support/clients/sessions.ts";
import { organisations } from "./support/data/small-world.ts";
import { stack } from "./support/stack/stack.ts";

const query = "{ view_bgpupdates(limit: 1) { prefix } }";
const claimsName = "https://hasura.io/jwt/claims";

describe("Authentication", () => {
  let viewer: Member;

  beforeAll(async () => {
    await loadDemo();
    viewer = await Member.join("viewer");
  });

  describe("the access token", () => {
    test("is an ES256 JWT with kid, issuer, audience, subject, times and a unique id", async () => {
      const token = await viewer.freshToken();
      expect(headerOf(token)).toMatchObject({ alg: "ES256", kid: expect.stringMatching(/^[\w-]{43}$/) as string });
      const claims = claimsOf(token);
      expect(claims).toMatchObject({
        iss: "routeql",
        aud: "routeql",
        sub: viewer.account.id,
        jti: expect.any(String) as string,
        nbf: expect.any(Number) as number,
      });
      expect(claims.exp - claims.iat).toBe(stack.tokenLifeSeconds);
    });

    test.each(["viewer", "analyst", "operator"] as const)(
      "of a %s carries that role alone, and no organisation",
      async (role) => {
        const member = await Member.join(role);
        expect(claimsOf(await member.freshToken())[claimsName]).toEqual({
          "x-hasura-allowed-roles": [role],
          "x-hasura-default-role": role,
          "x-hasura-user-id": member.account.id,
        });
      },
    );

    test("of a tenant carries the organisation", async () => {
      const tenant = await Member.join("tenant", { organisation: "e2e-org-claims" });
      expect(claimsOf(await tenant.freshToken())[claimsName]).toMatchObject({
        "x-hasura-default-role": "tenant",
        "x-hasura-org-id": "e2e-org-claims",
      });
    });
  });

  describe("refused", () => {
    test("no token", async () => {
      const { extensions } = await refusal(query, { headers: {} });
      expect(extensions.code).toBe("invalid-headers");
    });

    test.each([
      ["an empty Authorization header", "", "invalid-headers"],
      ["a Bearer without a token", "Bearer ", "invalid-jwt"],
      ["another scheme", "Basic YTpi", "invalid-headers"],
      ["a token that is no JWT", "Bearer abc.def.ghi", "invalid-jwt"],
    ])("%s", async (_, authorization) => {
      const reply = await post(query, { headers: { authorization } });
      const body = reply.json() as { data?: unknown; errors: { extensions: { code: string } }[] };
      expect(body).not.toHaveProperty("data");
      expect(["invalid-headers", "invalid-jwt"]).toContain(body.errors[0]?.extensions.code);
    });
  });

  describe("the engine's headers have no effect in client requests", () => {
    const twoFields = "{ view_bgpupdates(limit: 1) { communities } }";

    test.each<Record<string, string>>([
      { "x-hasura-role": "operator" },
      { "x-hasura-role": "admin" },
      { "X-Hasura-Role": "analyst", "x-hasura-default-role": "analyst", "x-hasura-allowed-roles": '["analyst"]' },
    ])("a viewer with %o stays a viewer", async (headers) => {
      const token = await viewer.freshToken();
      const { extensions } = await refusal(twoFields, { headers: { authorization: `Bearer ${token}`, ...headers } });
      expect(extensions.code).toBe("validation-failed");
      const rows = await data<{ view_bgpupdates: unknown[] }>("{ view_bgpupdates(limit: 1000) { type } }", {
        headers: { authorization: `Bearer ${token}`, ...headers },
      });
      expect(rows.view_bgpupdates).toHaveLength(100);
    });

    test("a tenant with another organisation's x-hasura-org-id sees none of its rows", async () => {
      const tenant = await Member.join("tenant", { organisation: "e2e-org-empty" });
      const headers = {
        authorization: `Bearer ${await tenant.freshToken()}`,
        "x-hasura-org-id": organisations.north,
        "x-hasura-user-id": "1",
      };
      const answer = await data<{ view_bgpupdates: unknown[]; view_hijacks: unknown[] }>(
        "{ view_bgpupdates { type } view_hijacks { key } }",
        { headers },
      );
      expect(answer).toEqual({ view_bgpupdates: [], view_hijacks: [] });
    });

    test.each(["x-hasura-admin-secret", "x-hasura-access-key", "X-Hasura-Admin-Secret"])(
      "the master key in %s has no effect",
      async (name) => {
        const { extensions } = await refusal(query, { headers: { [name]: stack.engineAccessKey } });
        expect(extensions.code).toBe("invalid-headers");
      },
    );

    test("X-Engine-Access-Key grants full access beside session variables", async () => {
      const answer = await data<{ view_bgpupdates: unknown[] }>("{ view_bgpupdates(limit: 1001) { communities } }", {
        headers: { "x-engine-access-key": stack.engineAccessKey, "x-hasura-org-id": "none" },
      });
      expect(answer.view_bgpupdates).toHaveLength(1001);
    });
  });

  test("the engine's other endpoints are closed from outside, also with the master key", async () => {
    for (const path of [
      "/v1/graphql",
      "/v1/metadata",
      "/v2/query",
      "/v1/query",
      "/v1/version",
      "/v1alpha1/graphql",
      "/console",
      "/metrics",
      "/jwks",
      "/api/graphql/explain",
    ]) {
      const reply = await call(path, {
        method: "POST",
        headers: { "x-engine-access-key": stack.engineAccessKey },
        body: { type: "export_metadata", version: 2, args: {} },
      });
      expect(reply.status, path).toBe(404);
      expect(reply.json(), path).toMatchObject({ code: "not-found" });
    }
    expect(await data("{ __typename }", master)).toEqual({ __typename: "query_root" });
  });
});
