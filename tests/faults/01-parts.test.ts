import { afterEach, describe, expect, test } from "vitest";
import { crash, cutOff, isHealthy, parts, pause, reconnect, restarts, resume } from "./support/parts.ts";
import { suffer } from "./support/suffer.ts";

/** Every client is served again so many milliseconds after the end of a fault, on a machine at load. */
const recovery = 45_000;

afterEach(async () => {
  await expect
    .poll(async () => (await Promise.all(parts.map(isHealthy))).every(Boolean), { timeout: 60_000, interval: 200 })
    .toBe(true);
});

describe.each(parts)("the %s", (part) => {
  const unreachable = part === "gateway";

  test("crashes: it restarts by itself, and every client is served again", { timeout: 150_000 }, async () => {
    const before = await restarts(part);
    await suffer({ inject: () => crash(part), milliseconds: 800, recovery, unreachable, noticed: true });
    expect(await restarts(part)).toBe(before + 1);
  });

  test(
    "freezes for a while: errors are the gateway's own and in time, and clients recover",
    { timeout: 150_000 },
    async () => {
      await suffer({
        inject: () => pause(part),
        undo: () => resume(part),
        milliseconds: 2500,
        recovery,
        unreachable,
        noticed: false,
      });
    },
  );
});

describe.each(parts.filter((part) => part !== "gateway"))("the network drops packets to the %s", (part) => {
  test("errors are the gateway's own and in time, and clients recover", { timeout: 150_000 }, async () => {
    await suffer({
      inject: () => cutOff(part),
      undo: () => reconnect(part),
      milliseconds: 5000,
      recovery,
      noticed: true,
      mayWait: true,
    });
  });
});
