import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import pg from "pg";
import { pino } from "pino";
import { expect, test } from "vitest";
import { Database, isOutage, locks } from "./database.ts";
import { Unavailable } from "./errors.ts";

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

/** Messages of Postgres: its answer to a login and to `begin`. */
const loggedIn = Buffer.from("R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I", "latin1");
const begun = Buffer.from("C\0\0\0\x0aBEGIN\0Z\0\0\0\x05T", "latin1");

test("a connection that breaks during a locked change fails the change, and not the process", async () => {
  const server = createServer((socket) => {
    socket.once("data", () => {
      socket.write(loggedIn);
      socket.once("data", () => {
        socket.write(begun);
        socket.once("data", () => socket.resetAndDestroy());
      });
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `postgres://sidecar@127.0.0.1:${port}/routeql?sslmode=disable`;
  const database = new Database({ url, poolSize: 1, log: pino({ enabled: false }) });
  await expect(database.locked(locks.signingKeys, () => expect.unreachable())).rejects.toThrow(Unavailable);
  await database.close();
  server.close();
});
