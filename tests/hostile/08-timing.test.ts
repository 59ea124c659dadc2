import { expect, test } from "vitest";
import { call } from "../e2e/support/clients/http.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { significant, timeDifference } from "../harness/figures/time-difference.ts";
import { serviceAnswers } from "./support/attack.ts";
import { countInputs } from "./support/figures.ts";

/** Durations of a number of calls of each kind in milliseconds, alternating, so that other load on the machine affects both alike. */
async function interleaved(count: number, kinds: readonly (() => Promise<unknown>)[]): Promise<number[][]> {
  const times = kinds.map((): number[] => []);
  for (let round = 0; round < count; round++) {
    for (const offset of kinds.keys()) {
      const index = (round + offset) % kinds.length;
      const startedAt = performance.now();
      await kinds[index]!();
      times[index]!.push(performance.now() - startedAt);
    }
  }
  return times;
}

/** Fraction of the slowest replies to ignore: the machine interrupted them, so they show nothing about the service. */
const interrupted = 0.1;

test("the time of a rejection does not depend on a key's common prefix", { timeout: 120_000 }, async () => {
  const change = (text: string, at: number) => text.slice(0, at) + (text[at] === "x" ? "y" : "x") + text.slice(at + 1);
  const withMaster = (key: string) => () =>
    call("/api/graphql", {
      method: "POST",
      headers: { "x-engine-access-key": key },
      body: { query: "{ __typename }" },
    });
  const withService = (key: string) => () => call("/api/auth/jwt", { headers: { "x-service-api-key": key } });
  for (const [key, using] of [
    [stack.engineAccessKey, withMaster],
    [stack.serviceApiKey, withService],
  ] as const) {
    const [first = [], last = []] = await interleaved(150, [using(change(key, 0)), using(change(key, key.length - 1))]);
    expect(Math.abs(timeDifference(first, last, interrupted))).toBeLessThan(significant);
    countInputs("times of rejected keys", 300, 0);
  }
  await serviceAnswers();
});
