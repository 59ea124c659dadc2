import { expect, test } from "vitest";
import { createFakeEngine } from "../operation/testing/fake-engine.ts";
import { growthOver, payload } from "../testing/heap.ts";
import { transportDialect } from "./dialect.ts";
import { Operations } from "./operations.ts";
import type { Outbox } from "./outbox.ts";

const session = { role: "viewer", isAdmin: false, variables: new Map<string, string>() };
const request = { query: "subscription { updates }" };

test("a subscription that was stopped is not kept alive by those that follow, in a heap of which only the young part is collected", async () => {
  const outbox: Outbox = { send: () => undefined, sendLatest: () => undefined, forget: () => undefined, isCongested: false };
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
  };
  const operations = new Operations(context, outbox, transportDialect, { requestId: "test", hasLegacyErrors: false }, () => expect.unreachable());
  operations.begin(session);
  operations.start("0", request);
  const growth = await growthOver(5_000, (index) => {
    operations.start(String(index + 1), request);
    operations.stop(String(index));
  });
  // Of 40 MB that were held.
  expect(growth).toBeLessThan(6_000_000);
});
