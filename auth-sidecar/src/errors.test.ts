import { errorCodes } from "@routeql/contract/error-codes";
import { expect, test } from "vitest";
import {
  NoAccess,
  NoSession,
  SidecarError,
  TooManyRequests,
  Unavailable,
  WrongCredentials,
  WrongServiceKey,
} from "./errors.ts";

test.each([
  [new WrongCredentials(), "wrong-credentials", 401],
  [new WrongServiceKey(), "wrong-service-key", 401],
  [new NoSession(), "no-session", 401],
  [new NoAccess(), "no-access", 403],
  [new TooManyRequests(7), "too-many-requests", 429],
  [new Unavailable("database"), "unavailable", 503],
  [new SidecarError("not-found"), "not-found", 404],
] as const)("%s has its stable code and that code's status and sentence", (error, code, status) => {
  expect(error).toBeInstanceOf(SidecarError);
  expect(error).toMatchObject({ code, status, message: errorCodes[code].sentence });
});

test("keeps the cause out of an error's message", () => {
  const error = new Unavailable("database", new Error("password authentication failed"));
  expect(error.message).not.toContain("password");
  expect(error.retryAfterSeconds).toBeGreaterThan(0);
});

test("captures no stack for its errors and leaves other errors unchanged", () => {
  expect(new NoSession().stack).not.toContain("\n");
  expect(new Unavailable("database", new Error("cause")).cause).toMatchObject({
    stack: expect.stringContaining("errors.test.ts") as string,
  });
  expect(new Error("later").stack).toContain("errors.test.ts");
});
