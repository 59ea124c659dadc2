import { expect, test } from "vitest";
import { takeSessionConnections, type TakenConnections } from "./support/connection-hog.ts";
import { suffer } from "./support/suffer.ts";

test("the session store is out of connections: no session is lost, and it recovers", { timeout: 150_000 }, async () => {
  let taken: TakenConnections | undefined;
  let refused = 0;
  const undo = async (): Promise<void> => {
    refused += (await taken?.refused()) ?? 0;
    await taken?.[Symbol.asyncDispose]();
    taken = undefined;
  };
  try {
    await suffer({
      inject: async () => {
        taken = await takeSessionConnections();
      },
      undo,
      milliseconds: 4000,
      recovery: 45_000,
      noticed: true,
    });
  } finally {
    await undo();
  }
  expect(refused, "connections that the store refused").toBeGreaterThan(0);
});
