import { Writable } from "node:stream";
import { bufferLines } from "@routeql/contract/log-lines";
import { pino } from "pino";
import { expect, test } from "vitest";
import { createLogger, describeError } from "./logging.ts";

function logged(entry: object): string {
  let text = "";
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      text += chunk.toString();
      done();
    },
  });
  createLogger("info", sink).info(entry, "entry");
  return text;
}

test.each([
  "password",
  "access_token",
  "authorization",
  "cookie",
  "set-cookie",
  "x-service-api-key",
  "sid",
  "sessionId",
  "email",
  "privateKey",
])("%s is censored at the top and up to two levels down", (name) => {
  const text = logged({ [name]: "hunter2", a: { [name]: "hunter2", b: { [name]: "hunter2" } } });
  expect(text).not.toContain("hunter2");
  expect(text.match(/\[redacted\]/g)).toHaveLength(3);
});

test("does not modify the logged object and keeps arrays", () => {
  const entry = { list: [{ token: "hunter2" }, 1], kept: { name: "x" } };
  const text = logged(entry);
  expect(JSON.parse(text)).toMatchObject({ list: [{ token: "[redacted]" }, 1], kept: { name: "x" } });
  expect(entry.list[0]).toEqual({ token: "hunter2" });
});

test("keeps an error's type, message, code and cause, and drops fields of drivers", () => {
  const cause = Object.assign(new Error("outer", { cause: new Error("inner") }), {
    code: "ECONNREFUSED",
    detail: "Key (email)=(a@example.net)",
    command: { args: ["hunter2"] },
  });
  const text = logged({ err: cause });
  expect(text).toContain("ECONNREFUSED");
  expect(text).toContain("inner");
  expect(text).not.toContain("hunter2");
  expect(text).not.toContain("a@example.net");
  expect(describeError("text")).toEqual({ type: "string", message: "not an error" });
});

test("adds the service, the level's name and the time in UTC", () => {
  expect(JSON.parse(logged({}))).toMatchObject({
    level: "info",
    service: "auth-sidecar",
    time: expect.stringMatching(/Z$/) as string,
  });
});

test("writes a fatal line at once, with those before it", () => {
  const written: string[] = [];
  const log = pino({}, bufferLines({ write: (text) => void written.push(text) }));
  log.info("before");
  log.fatal("the end");
  expect(written.join("").split("\n")).toHaveLength(3);
});
