import { expect, test } from "vitest";
import { ClientLeft, LightCancellation } from "../../cancellation.ts";
import { HasuraSlots } from "./slots.ts";

test.each(["unknown", "quick"] as const)(
  "a client that leaves when it gets a slot returns it (pace %s)",
  async (pace) => {
    const slots = new HasuraSlots(1);
    const free = await slots.take("one", pace, new LightCancellation());
    const leaving = new LightCancellation();
    const waiting = slots.take("one", pace, leaving);
    await Promise.resolve();
    // One connection that ends both: the first one's slot goes to the second, which then leaves.
    free();
    leaving.abort(new ClientLeft());
    await expect(waiting).rejects.toThrow(ClientLeft);
    expect(slots.statistics).toEqual({ total: 1, idle: 1, waiting: 0 });
    expect(await slots.take("other", pace, new LightCancellation())).toBeTypeOf("function");
  },
);
