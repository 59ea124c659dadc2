import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import { createErrorLog } from "./error-log.ts";
import { createLogger } from "./logger.ts";
import { createRequestLog } from "./request-log.ts";

function capture(): { stream: Writable; text: () => string } {
  const lines: string[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  return { stream, text: () => lines.join("") };
}

test("redacts keys with secrets, also one level down", () => {
  const { stream, text } = capture();
  createLogger("info", stream).info(
    { authorization: "s3cret", request: { headers: "s3cret", token: "s3cret", variables: "s3cret" } },
    "x",
  );
  expect(text()).not.toContain("s3cret");
  expect(text()).toContain("[redacted]");
});

test("logs a server failure by its codes, without messages or internals", () => {
  const { stream, text } = capture();
  const cause = Object.assign(new Error('invalid input syntax: "hidden value"'), { code: "22P02" });
  const error = new EngineError({
    code: "unexpected",
    message: "hidden message",
    internal: { arguments: ["hidden value"] },
    cause,
  });
  createErrorLog(createLogger("info", stream))(error, { requestId: "r-1", role: "viewer" });
  const line = JSON.parse(text()) as Record<string, unknown>;
  expect(line).toMatchObject({
    level: "error",
    requestId: "r-1",
    role: "viewer",
    code: "unexpected",
    status: 500,
    cause: { name: "Error", code: "22P02" },
  });
  expect(text()).not.toContain("hidden");
});

test("does not log a rejected request at the default level", () => {
  const { stream, text } = capture();
  createErrorLog(createLogger("info", stream))(new EngineError({ code: "validation-failed", message: "x" }), {
    requestId: "r-1",
  });
  expect(text()).toBe("");
});

test("a rejected token leaves a line with the reason, without its claims", () => {
  const { stream, text } = capture();
  const logError = createErrorLog(createLogger("info", stream));
  logError(new EngineError({ code: "invalid-jwt", message: "Could not verify JWT: JWTExpired" }), { requestId: "r-1" });
  logError(new EngineError({ code: "jwt-invalid-claims", message: "hidden claim" }), { requestId: "r-2" });
  const lines = text().trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(lines).toMatchObject([
    { level: "info", requestId: "r-1", code: "invalid-jwt", reason: "Could not verify JWT: JWTExpired", message: "credentials rejected" },
    { level: "info", requestId: "r-2", code: "jwt-invalid-claims", message: "credentials rejected" },
  ]);
  expect(text()).not.toContain("hidden");
});

test("a request leaves one line; a health check leaves none", () => {
  const { stream, text } = capture();
  const logRequest = createRequestLog(createLogger("info", stream));
  logRequest({ requestId: "r-1", method: "POST", route: "/v1/graphql", status: 200, milliseconds: 1.26, role: "viewer", errors: ["timeout"] });
  logRequest({ requestId: "r-2", method: "GET", route: "/healthz", status: 200, milliseconds: 1 });
  expect(JSON.parse(text())).toEqual({
    level: "info",
    time: expect.any(String) as string,
    requestId: "r-1",
    method: "POST",
    route: "/v1/graphql",
    status: 200,
    milliseconds: 1.3,
    role: "viewer",
    errors: ["timeout"],
    message: "request answered",
  });
});
