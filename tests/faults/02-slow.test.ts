import { availableParallelism } from "node:os";
import { describe, expect, test } from "vitest";
import type { Toxic } from "../harness/containers/toxic-proxy.ts";
import { interpose, throttle } from "./support/parts.ts";
import { suffer } from "./support/suffer.ts";

const recovery = 45_000;
/** Delay in milliseconds on every packet in each direction. */
const edges = [
  ["engine", "database", 5432, 200],
  ["auth-sidecar", "database", 5432, 200],
  ["auth-sidecar", "sessions", 6379, 50],
] as const;

describe.each(edges)("between the %s and the %s", (caller, callee, port, delay) => {
  async function during(toxic: Toxic, milliseconds: number, noticed: boolean): ReturnType<typeof suffer> {
    let interposed: Awaited<ReturnType<typeof interpose>> | undefined;
    const undo = async (): Promise<void> => {
      await interposed?.[Symbol.asyncDispose]();
      interposed = undefined;
    };
    const inject = async (): Promise<void> => {
      interposed = await interpose(caller, callee, port);
      interposed.proxy.set(toxic);
    };
    try {
      return await suffer({ inject, undo, milliseconds, recovery, noticed });
    } finally {
      await undo();
    }
  }

  test("every packet is delayed: replies are late, and correct or a clean error", { timeout: 120_000 }, async () => {
    const { count, longest } = await during(delay, 2500, false);
    expect(count.right).toBeGreaterThan(0);
    expect(longest, "the delay was noticeable").toBeGreaterThan(2 * delay);
  });

  test("every connection is reset: errors are clean and in time", { timeout: 120_000 }, async () => {
    await during("reset", 1500, true);
  });
});

describe.each(["database", "engine"] as const)("the %s gets 5 % of a processor", (part) => {
  test("replies are late, and correct or a clean error", { timeout: 150_000 }, async () => {
    const inject = () => throttle(part, 0.05);
    const undo = () => throttle(part, availableParallelism());
    try {
      await suffer({ inject, undo, milliseconds: 3000, recovery, noticed: false });
    } finally {
      await undo();
    }
  });
});
