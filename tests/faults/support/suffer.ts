import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { loadDemo } from "../../e2e/support/data.ts";
import { writeSmallWorld } from "../../e2e/support/small-world.ts";
import { Member } from "../../e2e/support/accounts.ts";
import { answerBound } from "./ask.ts";
import { type Account, Crowd } from "./crowd.ts";
import { Ledger, Sessions } from "./ledger.ts";
import { loginAsker } from "./login-asker.ts";
import { type Asker, learnedAskers, viewpoints } from "./members.ts";
import { countFault } from "./figures.ts";
import { Subscriber } from "./subscriber.ts";

export interface Fault {
  /** Makes it happen. */
  readonly inject: () => Promise<unknown>;
  /** Ends it; without one the fault ends by itself, and recovery counts from its beginning. */
  readonly undo?: () => Promise<unknown>;
  /** How long it lasts. */
  readonly milliseconds: number;
  /** After its end every client is served again within this time, with nobody's help. */
  readonly recovery: number;
  /** Requests may find nobody listening: the gateway itself is what fails. */
  readonly unreachable?: boolean;
  /** Whether clients must have been refused meanwhile; a fault that nobody noticed would prove nothing. */
  readonly noticed: boolean;
}

let askers: Promise<readonly Asker[]> | undefined;

/** Clients of every role, that know their answers. */
export function everybody(): Promise<readonly Asker[]> {
  askers ??= (async () => {
    await loadDemo();
    await writeSmallWorld();
    return [...(await learnedAskers(await viewpoints())), await loginAsker()];
  })();
  return askers;
}

/**
 * Lets a fault happen while clients work, and holds to what must be true of each: no wrong answer, no error but ours, all within their bounds,
 * nothing lost that was acknowledged, everything well again by itself.
 */
export async function suffer(fault: Fault): Promise<Account & { readonly recovered: number }> {
  const clients = await everybody();
  const viewer = await Member.join("viewer");
  const subscriber = await Subscriber.join(await viewer.caller());
  const sessions = await Sessions.begin();
  const ledger = new Ledger();
  const crowd = new Crowd(clients);
  try {
    await crowd.served(20_000);
    await fault.inject();
    await sleep(fault.milliseconds);
    await fault.undo?.();
    const recovered = await crowd.served(fault.recovery);
    await subscriber.served(fault.recovery);
    const account = await crowd.stop();
    const lost = [...(await sessions.lost()), ...(await ledger.lost())];
    countFault({ requests: account.requests, wrong: account.count.wrong + subscriber.wrong, lost: lost.length, recovered, longest: account.longest });

    const complaints = fault.unreachable === true ? account.complaints.filter((complaint) => !complaint.startsWith("unreachable")) : account.complaints;
    expect(complaints).toEqual([]);
    expect(subscriber.wrong, "wrong answers to a subscription").toBe(0);
    expect(account.longest, "milliseconds of the longest request").toBeLessThan(answerBound);
    expect(lost, "lost, though acknowledged").toEqual([]);
    expect(ledger.acknowledged.length, "writes acknowledged").toBeGreaterThan(0);
    if (fault.noticed) expect(account.count.refused + account.count.unreachable, "requests that noticed").toBeGreaterThan(0);
    return { ...account, recovered };
  } finally {
    await crowd.stop();
    await subscriber.stop();
    await ledger.lost().catch(() => undefined);
  }
}
