import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { byTurn } from "./log-lines.ts";

function recorded() {
  const written: string[] = [];
  return { written, destination: byTurn({ write: (text) => void written.push(text) }) };
}

test("writes the lines of one turn of the event loop together, in order, at its end", async () => {
  const { written, destination } = recorded();
  destination.write("1\n");
  await Promise.resolve();
  destination.write("2\n");
  expect(written).toEqual([]);
  await turn();
  destination.write("3\n");
  await turn();
  expect(written).toEqual(["1\n2\n", "3\n"]);
});

test("writes many lines of one turn before its end", () => {
  const { written, destination } = recorded();
  const line = `${"x".repeat(999)}\n`;
  for (let count = 0; count < 100; count++) destination.write(line);
  expect(written).toHaveLength(1);
  destination.flushSync();
  expect(written.join("")).toBe(line.repeat(100));
});
