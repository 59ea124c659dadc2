import { expect, test } from "vitest";
import { Failure } from "@routeql/host/failure";
import { untilHealthy } from "./health.ts";

const signal = new AbortController().signal;
const problem = {
  subject: "auth-sidecar",
  reason: "runs but is unhealthy: it cannot use database",
  next: "npm run logs",
};

test("waits for a service that becomes healthy", async () => {
  const rounds = [[problem], [problem], []];
  await untilHealthy(async () => rounds.shift() ?? [], signal, { patience: 5000, interval: 1 });
  expect(rounds).toEqual([]);
});

test("fails with each problem once and the next command", async () => {
  const failure: unknown = await untilHealthy(async () => [problem], signal, { patience: 5, interval: 1 }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(Failure);
  expect(failure).toMatchObject({
    lastLines: ["auth-sidecar: runs but is unhealthy: it cannot use database"],
    remedy: "npm run logs",
  });
});

test.each(["certificate", "public name"])("a warning about the %s is no failure of the update", async (subject) => {
  await expect(
    untilHealthy(async () => [{ ...problem, subject }], signal, { patience: 5, interval: 1 }),
  ).resolves.toEqual([expect.stringContaining(`The ${subject} `)]);
});
