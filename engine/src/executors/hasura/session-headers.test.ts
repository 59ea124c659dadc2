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
  });
});

test("a claim cannot open Hasura's back-end permissions, which the admin secret would allow", () => {
  expect(headersOf({ "x-hasura-use-backend-only-permissions": "true" })).not.toHaveProperty(
    "x-hasura-use-backend-only-permissions",
  );
});

test.each([" org", "org ", "a\r\nx-hasura-role: admin", "a\0", "\torg"])("rejects the value %j", (value) => {
  expect(() => headersOf({ "x-hasura-org-id": value })).toThrow("x-hasura-org-id has spaces around its value");
});
