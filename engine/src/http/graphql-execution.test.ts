import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createSession } from "../auth/session.ts";
import { bytesOf } from "../postgres/bytes.ts";
import { createAdmission } from "./admission.ts";
import { createGraphQLExecution } from "./graphql-execution.ts";

const session = createSession("viewer", []);
const operation = vi.fn<(kind: string, role: string | undefined, outcome: string) => void>();

beforeEach(() => {
  vi.useFakeTimers();
  operation.mockReset();
});

afterEach(() => {
  vi.useRealTimers();
});

test("a database that never answers is given up, and its place is free again", async () => {
  const admission = createAdmission(1);
  const engine = { executeToBytes: () => new Promise<never>(() => undefined), operationKind: () => "query" as const };
  const execution = createGraphQLExecution({ engine, admission, metrics: { operation }, timeout: 40_000 });
  const running = expect(execution.run({ query: "{ a }" }, session, new AbortController().signal)).rejects.toMatchObject({
    code: "timeout",
    message: "the database did not answer in time",
  });
  await vi.advanceTimersByTimeAsync(39_999);
  expect(admission.inFlight).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  await running;
  expect(admission.inFlight).toBe(0);
  expect(operation).toHaveBeenCalledWith("query", "viewer", "failure", expect.any(Number));
});

test("the document of a plain query is not looked at twice", async () => {
  const operationKind = vi.fn<() => "query">(() => "query");
  const engine = { executeToBytes: () => Promise.resolve(bytesOf("{}")), operationKind };
  const execution = createGraphQLExecution({ engine, admission: createAdmission(1), metrics: { operation }, timeout: 0 });
  await execution.run({ query: "{ a }" }, session, new AbortController().signal);
  expect(operationKind).not.toHaveBeenCalled();
  await execution.run({ query: "{ subscription_count }" }, session, new AbortController().signal);
  expect(operationKind).toHaveBeenCalledTimes(1);
  expect(vi.getTimerCount()).toBe(0);
});

test("what the caller gave up ends with the caller's reason", async () => {
  const caller = new AbortController();
  const engine = { executeToBytes: () => Promise.reject(new Error("cancelled")), operationKind: () => "query" as const };
  const execution = createGraphQLExecution({ engine, admission: createAdmission(1), metrics: { operation }, timeout: 0 });
  caller.abort(new Error("gone"));
  await expect(execution.run({ query: "{ a }" }, session, caller.signal)).rejects.toThrow("gone");
});
