import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { answerBound } from "./ask.ts";
import type { Account } from "./crowd.ts";
import { countFault } from "./figures.ts";
import { theWorld } from "./world.ts";

export interface Fault {
  /** Causes the fault. */
  readonly inject: () => Promise<unknown>;
  /** Ends it; without one the fault ends by itself. */
  readonly undo?: () => Promise<unknown>;
  /** How long it lasts. */
  readonly milliseconds: number;
  /** Milliseconds within which every client is served again after the fault, without intervention. */
  readonly recovery: number;
  /** Requests may find no listener: the gateway itself fails. */
  readonly unreachable?: boolean;
  /** Whether clients must have been rejected meanwhile; an unnoticed fault would prove nothing. */
  readonly noticed: boolean;
  /** A request may also wait for the end of the fault: TCP repeats what the network lost on a kept connection. */
  readonly mayWait?: boolean;
}

/**
 * Injects a fault while clients work and checks each client: no wrong answer, only our errors, all within their limits,
 * nothing lost that was acknowledged, everything well again by itself.
 */
export async function suffer(fault: Fault): Promise<Account & { readonly recovered: number }> {
  const { crowd, subscriber, ledger, sessions } = await theWorld();
  await crowd.served(30_000);
  const written = ledger.length;
  const wrongBefore = subscriber.wrong;
  const from = performance.now();
  await fault.inject();
  await sleep(fault.milliseconds);
  await fault.undo?.();
  const recovered = await crowd.served(fault.recovery);
  await subscriber.served(fault.recovery);
  const account = crowd.since(from);
  const lost = [...(await sessions.lost()), ...(await ledger.lost())];
  const wrongPushed = subscriber.wrong - wrongBefore;
  countFault({
    requests: account.requests,
    wrong: account.count.wrong + wrongPushed,
    lost: lost.length,
    recovered,
    longest: account.longest,
  });

  const complaints =
    fault.unreachable === true
      ? account.complaints.filter((complaint) => !complaint.startsWith("unreachable"))
      : account.complaints;
  expect(complaints).toEqual([]);
  expect(wrongPushed, "wrong answers to a subscription").toBe(0);
  expect(account.longest, "milliseconds of the longest request").toBeLessThan(answerBound);
  expect(lost, "lost, though acknowledged").toEqual([]);
  await expect.poll(() => ledger.length, { timeout: fault.recovery, message: "writes go on" }).toBeGreaterThan(written);
  const waited = fault.mayWait === true && account.longest > fault.milliseconds / 2 ? 1 : 0;
  if (fault.noticed)
    expect(account.count.refused + account.count.unreachable + waited, "requests that noticed").toBeGreaterThan(0);
  return { ...account, recovered };
}
