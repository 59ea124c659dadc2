import pg from "pg";
import { expect, test } from "vitest";
import { isOutage } from "./database.ts";

const answer = (code: string) => Object.assign(new pg.DatabaseError("message", 0, "error"), { code });

test.each(["08006", "53300", "57P01", "57P03", "57014", "58030", "25006", "28P01", "3D000", "42P01", "42501"])(
  "SQLSTATE %s says not now",
  (code) => {
    expect(isOutage(answer(code))).toBe(true);
  },
);

test.each(["22021", "23505", "42601", "22P02", "40001", "XX000"])("treats SQLSTATE %s as a wrong statement", (code) => {
  expect(isOutage(answer(code))).toBe(false);
});

test.each([
  Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }),
  Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }),
  Object.assign(new Error("getaddrinfo"), { code: "ENOTFOUND" }),
  new Error("timeout exceeded when trying to connect"),
  new Error("Query read timeout"),
  new Error("Connection terminated unexpectedly"),
])("%s is an outage", (error) => {
  expect(isOutage(error)).toBe(true);
});

test.each([
  new TypeError("x is not a function"),
  Object.assign(new TypeError("bad argument"), { code: "ERR_INVALID_ARG_TYPE" }),
  "text",
  undefined,
])("%s is none", (error) => {
  expect(isOutage(error)).toBe(false);
});
