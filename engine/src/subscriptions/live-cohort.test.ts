import { expect, test } from "vitest";
import { growthOver } from "../testing/growth.ts";
import { Budget } from "./budget.ts";
import { switchedOff } from "../notices/observation.ts";
import { Slots } from "../cost/slots.ts";
import { LiveCohort } from "./live-cohort.ts";
import type { Listener } from "../executor.ts";

function hear(): { readonly listener: Listener; readonly heard: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  return {
    heard: promise,
    listener: {
      deliver: () => resolve(),
      refuse: () => expect.unreachable(),
      lose: () => expect.unreachable(),
      isReady: () => true,
    },
  };
}

test("later answers keep no former answer alive, when only young objects are collected", async () => {
  const answer = () => ({ text: Buffer.alloc(8_000, "x").toString(), failed: false, empty: false });
  const polling = {
    engine: {
      poll: (_key: string, members: readonly unknown[]) => Promise.resolve(members.map(answer)),
      release: () => undefined,
      observe: () => switchedOff,
    },
    net: 600_000,
    budget: new Budget(10, 4),
    onMissed: () => undefined,
    interval: 600_000,
    batchSize: 100,
    slots: new Slots(2),
    onPoll: () => undefined,
    onError: () => expect.unreachable(),
  };
  const cohort = new LiveCohort("cohort", polling, () => undefined);
  const join = async (parameter: number) => {
    const { listener, heard } = hear();
    const subscription = cohort.subscribe({ parameters: [parameter], client: "client" }, listener);
    await heard;
    return subscription;
  };
  let last = await join(-1);
  const growth = await growthOver(5_000, async (index) => {
    const next = await join(index);
    last.stop();
    last = next;
  });
  last.stop();
  // Of 40 MB of answers.
  expect(growth).toBeLessThan(6_000_000);
});
