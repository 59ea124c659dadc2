import type { Request, Response } from "express";
import { expect, test } from "vitest";
import { NoAccess } from "../errors.ts";
import type { User } from "../users.ts";
import type { Parts } from "./endpoint.ts";
import { singleStepToken } from "./single-step-token.ts";

test.each([
  [{ disabled: true, role: "viewer" }, "disabled"],
  [{ disabled: false, role: "pending" }, "pending"],
  [undefined, "deleted"],
] as const)("records the state of an account that changed after its login: %j", async (changed, reason) => {
  const refusals: object[] = [];
  const user = { id: "u1", provider: "local", disabled: false, role: "viewer" };
  const parts = {
    settings: { BODY_LIMIT_KILOBYTES: 1 },
    metrics: { login: () => undefined, logins: { inc: () => undefined }, loginSeconds: { observe: () => undefined } },
    authenticator: { authenticate: async () => ({ user }) },
    users: { findById: async () => changed as User | undefined },
    tokens: { begin: () => ({ id: "t", keyId: "k" }) },
    audit: { recordToken: async () => undefined, recordRefusal: async (event: object) => refusals.push(event) },
  } as unknown as Parts;
  const handler = singleStepToken(parts).handlers.at(-1)! as (request: Request, response: Response) => Promise<void>;
  const response = { locals: { context: { requestId: "r", address: "192.0.2.1" } } } as unknown as Response;
  const body = { username: "a@example.net", password: "secret" };
  await expect(handler({ body } as Request, response)).rejects.toThrow(NoAccess);
  expect(refusals).toMatchObject([{ event: "token", outcome: "refused", detail: { flow: "single-step", reason } }]);
});
