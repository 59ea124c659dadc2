import { beforeEach, expect, test, vi } from "vitest";
import { createSession } from "../auth/session.ts";
import { bytesOf } from "../postgres/bytes.ts";
import { createAdmission, createGraphQLExecution } from "./graphql-execution.ts";

const session = createSession("viewer", []);
const operation = vi.fn<(kind: string, role: string | undefined, outcome: string) => void>();

beforeEach(() => void operation.mockReset());

test("does not parse the document of a plain query twice", async () => {
  const operationKind = vi.fn<() => "query">(() => "query");
  const engine = { executeToBytes: () => Promise.resolve(bytesOf("{}")), operationKind };
  const execution = createGraphQLExecution({ engine, admission: createAdmission(1), metrics: { operation } });
  await execution.run({ query: "{ a }" }, session, new AbortController().signal);
  expect(operationKind).not.toHaveBeenCalled();
  await execution.run({ query: "{ subscription_count }" }, session, new AbortController().signal);
  expect(operationKind).toHaveBeenCalledTimes(1);
});

test("an aborted query rejects with the caller's reason and frees its place", async () => {
  const caller = new AbortController();
  const admission = createAdmission(1);
  const engine = {
    executeToBytes: () => Promise.reject(new Error("cancelled")),
    operationKind: () => "query" as const,
  };
  const execution = createGraphQLExecution({ engine, admission, metrics: { operation } });
  caller.abort(new Error("gone"));
  await expect(execution.run({ query: "{ a }" }, session, caller.signal)).rejects.toThrow("gone");
  expect(admission.inFlight).toBe(0);
});
