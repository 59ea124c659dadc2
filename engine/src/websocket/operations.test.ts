import { expect, test } from "vitest";
import { createFakeEngine } from "../lifecycle/testing/served-engine.ts";
import { growthOver, payload } from "../testing/growth.ts";
import { WaitingBytes } from "../cost/waiting-bytes.ts";
import { transportDialect } from "./server-message.ts";
import { Operations } from "./operations.ts";
import type { Outbox } from "./outbox.ts";

const session = { role: "viewer", isAdmin: false, variables: new Map<string, string>() };
const request = { query: "subscription { updates }" };

test("later subscriptions keep no stopped one alive, when only young objects are collected", async () => {
  const outbox: Outbox = {
    send: () => undefined,
    sendLatest: () => undefined,
    forget: () => undefined,
    pong: () => undefined,
    close: () => undefined,
    isCongested: false,
  };
  const waitingBytes = new WaitingBytes({ limit: 1_000_000, patience: 60_000 });
  const context = {
    engine: createFakeEngine(),
    execution: { kindOf: () => "subscription" as const, run: () => expect.unreachable() },
    subscriptions: {
      subscribe() {
        const held = payload();
        return { stop: () => void held.length };
      },
      figures: () => expect.unreachable(),
      stop: () => undefined,
    },
    metrics: { operation: () => undefined },
    logError: () => expect.unreachable(),
    showsInternal: () => false,
    operationLimit: 2,
    waitingBytes,
  };
  const operations = new Operations(
    context,
    outbox,
    transportDialect,
    { requestId: "test", hasLegacyErrors: false },
    () => expect.unreachable(),
  );
  operations.begin(session);
  operations.start("0", request);
  const growth = await growthOver(5_000, (index) => {
    operations.start(String(index + 1), request);
    operations.stop(String(index));
  });
  // Of 40 MB in total.
  expect(growth).toBeLessThan(6_000_000);
  waitingBytes.stop();
});

test("counts long subscriptions while they run, and closes a connection with too many", () => {
  const waitingBytes = new WaitingBytes({ limit: 1_000_000, patience: 60_000 });
  const closed: number[] = [];
  const context = {
    engine: createFakeEngine(),
    execution: { kindOf: () => "subscription" as const, run: () => expect.unreachable() },
    subscriptions: {
      subscribe: () => ({ stop: () => undefined }),
      figures: () => expect.unreachable(),
      stop: () => undefined,
    },
    metrics: { operation: () => undefined },
    logError: () => expect.unreachable(),
    showsInternal: () => false,
    operationLimit: 20,
    waitingBytes,
  };
  const outbox: Outbox = {
    send: () => undefined,
    sendLatest: () => undefined,
    forget: () => undefined,
    pong: () => undefined,
    close: () => undefined,
    isCongested: false,
  };
  const operations = new Operations(
    context,
    outbox,
    transportDialect,
    { requestId: "test", hasLegacyErrors: false },
    ({ code }) => void closed.push(code),
  );
  operations.begin(session);
  const long = { query: `subscription { updates } #${"x".repeat(100_000)}` };
  operations.start("a", long);
  expect(waitingBytes.total).toBeGreaterThan(400_000);
  operations.stop("a");
  expect(waitingBytes.total).toBe(0);
  for (const id of ["1", "2", "3"]) operations.start(id, long);
  expect(closed).toEqual([1013]);
  waitingBytes.stop();
});
