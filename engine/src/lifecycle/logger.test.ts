import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import { createErrorLog } from "./error-log.ts";
import { createLogger } from "./logger.ts";

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
