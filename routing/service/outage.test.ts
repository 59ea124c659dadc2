import { expect, test } from "vitest";
import { Outage } from "./outage.ts";

test("logs the start of an outage, signs of it at growing intervals, and its end", () => {
  const lines: string[] = [];
  const write = (fields: object, sentence: string): void => {
    const { source, seconds, attempts } = fields as Record<string, unknown>;
    lines.push(`${String(source)} ${String(seconds)} s ${String(attempts)} ${sentence.split(" ")[3]}`);
  };
  const outage = new Outage({ info: write, warn: write, error: write });
  outage.over("ris-live", 0);
  for (let second = 0; second <= 100; second += 1) outage.failed("ris-live", new Error("refused"), second * 1000);
  outage.failed("exabgp-own", new Error("refused"), 100_000);
  expect(outage.lasts).toBe(true);
  outage.over("ris-live", 101_000);
  outage.over("exabgp-own", 102_000);
  expect(outage.lasts).toBe(false);
  outage.failed("ris-live", new Error("refused"), 200_000);
  expect(lines).toEqual([
    "ris-live 0 s 1 not",
    "ris-live 10 s 11 not",
    "ris-live 30 s 31 not",
    "ris-live 70 s 71 not",
    "exabgp-own 102 s 102 updates",
    "ris-live 0 s 1 not",
  ]);
});
