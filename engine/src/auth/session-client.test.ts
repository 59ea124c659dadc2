import { expect, test } from "vitest";
import { audience, frozenNow, goodClaims, hmacSecret, issuer, sign } from "../lifecycle/testing/tokens.ts";
import { createAuthenticator } from "./authenticator.ts";
import { jwtSettingsSchema } from "./jwt-settings.ts";
import { mergeHeaders, type RequestHeaders } from "./request-headers.ts";

const adminSecret = "the-admin-secret-of-these-tests-0123456789";
const jwt = jwtSettingsSchema.parse({ type: "HS256", key: hmacSecret, issuer, audience });

async function clientOf(headers: RequestHeaders): Promise<string | undefined> {
  const authenticator = await createAuthenticator({
    adminSecret: { current: adminSecret },
    adminSecretHeaders: [],
    jwt,
    now: () => frozenNow,
  });
  return (await authenticator.authenticate(headers)).session.client;
}

const bearer = async (claims: Record<string, unknown>): Promise<RequestHeaders> => ({
  authorization: `Bearer ${await sign({ ...goodClaims(), ...claims }, "HS256", Buffer.from(hmacSecret))}`,
});

test("all tokens of one account share one client", async () => {
  const [one, again, other] = await Promise.all([
    clientOf(await bearer({ sub: "u1", jti: "1" })),
    clientOf(await bearer({ sub: "u1", jti: "2" })),
    clientOf(await bearer({ sub: "u2", jti: "3" })),
  ]);
  expect(one).toBe("account u1");
  expect(again).toBe(one);
  expect(other).toBe("account u2");
});

test("the admin secret is one client per address", async () => {
  const client = (address: string) => clientOf({ "x-hasura-admin-secret": adminSecret, "x-forwarded-for": address });
  expect(await client("192.0.2.1")).toBe("address 192.0.2.1");
  expect(await client("192.0.2.2")).toBe("address 192.0.2.2");
});

test("a WebSocket's address is that of its upgrade request, not of connection_init", () => {
  const init = { "X-Forwarded-For": "198.51.100.1" };
  expect(mergeHeaders({ "x-forwarded-for": "192.0.2.1" }, init)).toEqual({ "x-forwarded-for": "192.0.2.1" });
  expect(mergeHeaders({}, init)).toEqual({});
});
