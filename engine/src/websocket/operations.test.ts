import { expect, test, vi } from "vitest";
import type { Subscription } from "../executor.ts";
import type { GraphQLRequest } from "../engine.ts";
import { growthOver, payload } from "../testing/growth.ts";
import { WaitingBytes } from "../cost/waiting-bytes.ts";
import { createAdmission } from "../http/graphql-execution.ts";
import { transportDialect } from "./server-message.ts";
import { Operations } from "./operations.ts";
import type { Outbox } from "./outbox.ts";

const session = { role: "viewer", isAdmin: false, variables: new Map<string, string>() };
const request = { query: "subscription { updates }" };
const long = { query: `subscription { updates } #${"x".repeat(100_000)}` };
const outbox: Outbox = {
  send: () => undefined,
  sendLatest: () => undefined,
  forget: () => undefined,
  pong: () => undefined,
  close: () => undefined,
  isCongested: false,
};

/** The operations of a connection whose messages are all subscriptions. */
function connected({
  subscribe = (): Subscription => ({ stop: () => undefined }),
  close = (): unknown => expect.unreachable(),
  waitingBytes = new WaitingBytes({ limit: 1_000_000, patience: 60_000 }),
}: {
  subscribe?: () => Subscription;
  close?: (code: number) => void;
  waitingBytes?: WaitingBytes;
}) {
  const context = {
    executor: {
      kindOf: () => "subscription" as const,
      run: () => expect.unreachable(),
      prepare: ({ query }: GraphQLRequest) => ({ isReplaceable: true, bytes: 4 * query.length, start: subscribe }),
    },
    admission: createAdmission(1),
    metrics: { operation: () => undefined, unavailable: () => undefined },
    logError: () => expect.unreachable(),
    internalDetail: { forAdmin: false, forAll: false },
    operationLimit: 20,
    waitingBytes,
  };
  const identity = { requestId: "test", address: undefined, hasLegacyErrors: false, traceparent: undefined };
  const operations = new Operations(context, outbox, transportDialect, identity, ({ code }) => close(code));
  operations.begin(session);
  return { operations, waitingBytes, [Symbol.dispose]: () => waitingBytes.stop() };
}

test("later subscriptions keep no stopped one alive, when only young objects are collected", async () => {
  using connection = connected({
    subscribe() {
      const held = payload();
      return { stop: () => void held.length };
    },
  });
  const { operations } = connection;
  operations.start("0", request);
  const growth = await growthOver(5_000, (index) => {
    operations.start(String(index + 1), request);
    operations.stop(String(index));
  });
  // Of 40 MB in total.
  expect(growth).toBeLessThan(6_000_000);
});

test("counts long subscriptions while they run, and closes a connection with too many", () => {
  const closed: number[] = [];
  using connection = connected({ close: (code) => void closed.push(code) });
  const { operations, waitingBytes } = connection;
  operations.start("a", long);
  expect(waitingBytes.total).toBeGreaterThan(400_000);
  operations.stop("a");
  expect(waitingBytes.total).toBe(0);
  for (const id of ["1", "2", "3"]) operations.start(id, long);
  expect(closed).toEqual([1013]);
});

test("no subscription outlives a connection that it ends itself", () => {
  const running = new Set<Subscription>();
  const subscribe = vi.fn<() => Subscription>(() => {
    const subscription = { stop: () => void running.delete(subscription) };
    running.add(subscription);
    return subscription;
  });
  using connection = connected({ subscribe, close: () => connection.operations.end() });
  const { operations, waitingBytes } = connection;
  operations.start("1", long);
  operations.start("2", long);
  expect(running.size).toBe(2);
  operations.start("3", long);
  expect(running.size).toBe(0);
  expect(waitingBytes.total).toBe(0);
});

test("a subscription has begun when its bytes disconnect another client of the same statement", () => {
  // As at the embedded engine: the last one that stops a statement releases it.
  const running = new Set<Subscription>();
  const released = vi.fn<() => void>();
  const subscribe = (): Subscription => {
    const subscription = {
      stop: () => {
        running.delete(subscription);
        if (running.size === 0) released();
      },
    };
    running.add(subscription);
    return subscription;
  };
  const waitingBytes = new WaitingBytes({ limit: 1_000_000, patience: 60_000 });
  using other = connected({ subscribe, waitingBytes, close: () => other.operations.end() });
  using own = connected({ subscribe, waitingBytes });
  other.operations.start("1", long);
  other.operations.start("2", long);
  own.operations.start("1", long);
  expect(running.size).toBe(1);
  expect(released).not.toHaveBeenCalled();
});
