import { expect, test, vi } from "vitest";
import { createSession } from "../auth/session.ts";
import { readSettings } from "../settings/settings.ts";
import { createFakeEngine, testSettings } from "../lifecycle/testing/served-engine.ts";
import { createEmbeddedExecutor } from "./embedded.ts";

test("does not parse the document of a plain query twice", async () => {
  const engine = createFakeEngine();
  const operationKind = vi.spyOn(engine, "operationKind");
  const events = { onPoll: () => undefined, onError: () => undefined, onMissed: () => undefined };
  const executor = createEmbeddedExecutor(engine, readSettings(testSettings), events);
  const session = createSession("viewer", []);
  expect(executor.kindOf({ query: "{ a }" }, session)).toBe("query");
  expect(operationKind).not.toHaveBeenCalled();
  expect(executor.kindOf({ query: "subscription { a }" }, session)).toBe("subscription");
  expect(operationKind).toHaveBeenCalledTimes(1);
  await executor.close();
  expect(engine.isClosed).toBe(true);
});
