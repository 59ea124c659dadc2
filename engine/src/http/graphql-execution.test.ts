import { beforeEach, expect, test, vi } from "vitest";
import { createSession } from "../auth/session.ts";
import { EngineError } from "../errors.ts";
import { createAdmission, execute } from "./graphql-execution.ts";

const session = createSession("viewer", []);
const operation = vi.fn<(kind: string, role: string | undefined, outcome: string) => void>();

beforeEach(() => void operation.mockReset());

test("an aborted query rejects with the caller's reason and frees its place", async () => {
  const caller = new AbortController();
  const admission = createAdmission(1);
  const executor = { run: () => Promise.reject(new Error("cancelled")), kindOf: () => "query" as const };
  const front = { executor: { ...executor, prepare: () => expect.unreachable() }, admission, metrics: { operation } };
  caller.abort(new Error("gone"));
  await expect(execute(front, { query: "{ a }" }, session, { signal: caller.signal, requestId: "1" })).rejects.toThrow(
    "gone",
  );
  expect(admission.inFlight).toBe(0);
  expect(operation.mock.lastCall?.slice(0, 3)).toEqual(["query", "viewer", "client-left"]);
});

test("counts a failed operation by the code of its error", async () => {
  const run = () => Promise.reject(new EngineError({ code: "timeout", message: "too long" }));
  const executor = { run, kindOf: () => "query" as const, prepare: () => expect.unreachable() };
  const front = { executor, admission: createAdmission(1), metrics: { operation } };
  const { signal } = new AbortController();
  await expect(execute(front, { query: "{ a }" }, session, { signal, requestId: "1" })).rejects.toThrow("too long");
  expect(operation.mock.lastCall?.slice(0, 3)).toEqual(["query", "viewer", "timeout"]);
});

const sessionOf = (client: string) => ({ role: "viewer", client });

test("rejects an operation when all places are taken", () => {
  const admission = createAdmission(2);
  admission.enter(sessionOf("one"));
  admission.enter(sessionOf("one"));
  expect(() => admission.enter(sessionOf("one"))).toThrow("the server is busy");
  admission.leave(sessionOf("one"));
  admission.enter(sessionOf("one"));
  expect(admission.inFlight).toBe(2);
});

test("admits a client below its share although another client holds all places", () => {
  const admission = createAdmission(8);
  for (let index = 0; index < 8; index += 1) admission.enter(sessionOf("hostile"));
  for (let index = 0; index < 4; index += 1) admission.enter(sessionOf("other"));
  expect(() => admission.enter(sessionOf("other"))).toThrow("the server is busy");
  expect(() => admission.enter(sessionOf("hostile"))).toThrow("the server is busy");
});

test("admits one operation of each client, for any number of clients", () => {
  const admission = createAdmission(2);
  for (let index = 0; index < 10; index += 1) admission.enter(sessionOf(`client ${index}`));
  expect(admission.inFlight).toBe(10);
  for (let index = 0; index < 10; index += 1) admission.leave(sessionOf(`client ${index}`));
  expect(admission.inFlight).toBe(0);
});
