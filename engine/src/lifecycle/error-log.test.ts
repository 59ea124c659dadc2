import { pino } from "pino";
import { expect, test } from "vitest";
import { EngineError } from "../errors.ts";
import { createErrorLog } from "./error-log.ts";

/** The log line of an error, or undefined if it has none at the level `info`. */
function lineOf(error: EngineError): Record<string, unknown> | undefined {
  const lines: string[] = [];
  const logger = pino(
    { level: "info", timestamp: false, base: null, formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => void lines.push(line) },
  );
  createErrorLog(logger)(error, { requestId: "r", role: "viewer" });
  expect(lines.length).toBeLessThan(2);
  return lines[0] === undefined ? undefined : (JSON.parse(lines[0]) as Record<string, unknown>);
}

test("a failure of the server is an error with its cause", () => {
  const cause = Object.assign(new Error("of a client"), { code: "57P01" });
  expect(lineOf(new EngineError({ code: "postgres-error", status: 500, message: "of a client", cause }))).toEqual({
    level: "error",
    requestId: "r",
    role: "viewer",
    code: "postgres-error",
    path: "$",
    status: 500,
    cause: { name: "Error", code: "57P01" },
    msg: "request failed",
  });
});

test("a client that floods the server cannot fill the log with errors", () => {
  expect(lineOf(new EngineError({ code: "busy", status: 503, message: "the server is busy" }))).toMatchObject({
    level: "warn",
    code: "busy",
    status: 503,
    msg: "request refused",
  });
});

test("the refused request of a client has no line", () => {
  expect(lineOf(new EngineError({ code: "validation-failed", status: 400, message: "of a client" }))).toBeUndefined();
});
