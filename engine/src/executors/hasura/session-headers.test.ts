import { expect, test } from "vitest";
import { createSession } from "../../auth/session.ts";
import { sessionHeaders } from "./session-headers.ts";

const headersOf = (variables: Record<string, string>) =>
  sessionHeaders(createSession("viewer", Object.entries(variables)), "the secret");

test("sends role and variables with the admin secret, text as UTF-8", () => {
  expect(headersOf({ "x-hasura-org-id": "é" })).toEqual({
    "x-hasura-admin-secret": "the secret",
    "x-hasura-role": "viewer",
    "x-hasura-org-id": "\u00c3\u00a9",
    "x-hasura-audit-credential": "",
    "x-hasura-audit-address": "",
    "x-hasura-audit-request-id": "",
  });
});

test("a claim cannot open Hasura's back-end permissions, which the admin secret would allow", () => {
  expect(headersOf({ "x-hasura-use-backend-only-permissions": "true" })).not.toHaveProperty(
    "x-hasura-use-backend-only-permissions",
  );
});

test.each(["x-hasura-admin-secret", "x-hasura-access-key"])(
  "a claim %s does not reach Hasura as its secret",
  (name) => {
    const headers = headersOf({ [name]: "of the claim" });
    expect(headers["x-hasura-admin-secret"]).toBe("the secret");
    expect(headers).not.toHaveProperty("x-hasura-access-key");
  },
);

test("names credential, address and request for audit events, whatever a claim says", () => {
  const session = createSession("viewer", [["x-hasura-audit-credential", "access key"]], { credential: "token t1" });
  expect(sessionHeaders(session, "the secret", { address: "2001:db8::1", requestId: "r1" })).toMatchObject({
    "x-hasura-audit-credential": "token t1",
    "x-hasura-audit-address": "2001:db8::1",
    "x-hasura-audit-request-id": "r1",
  });
  expect(sessionHeaders(session, "the secret", { address: "\nx" })["x-hasura-audit-address"]).toBe("");
});

test.each(["x-hasura-org id", "x-hasura-a:b", "x-hasura-a\r\nx-hasura-role", "x-hasura-é", "x-hasura-\0"])(
  "a claim %j, which no header can carry, does not fail the request",
  (name) => {
    expect(Object.keys(headersOf({ [name]: "admin", "x-hasura-org-id": "7" }))).toEqual(
      Object.keys(headersOf({ "x-hasura-org-id": "7" })),
    );
  },
);

test("rejects more bytes than Hasura reads", () => {
  expect(headersOf({ "x-hasura-a": "é".repeat(20_000) })).toHaveProperty("x-hasura-a");
  expect(() => headersOf({ "x-hasura-a": "é".repeat(20_000), "x-hasura-b": "b".repeat(1_000) })).toThrow("40 KiB");
});

test.each([" org", "org ", "a\r\nx-hasura-role: admin", "a\0", "\torg", "a\ud800", "\u00a0org"])(
  "rejects the value %j",
  (value) => {
    expect(() => headersOf({ "x-hasura-org-id": value })).toThrow("x-hasura-org-id has spaces around its value");
  },
);
