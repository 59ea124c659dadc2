import { setImmediate as turn, setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { bufferLines } from "./log-lines.ts";

function recorded() {
  const written: string[] = [];
  return { written, buffer: bufferLines({ write: (text) => void written.push(text) }) };
}

test("writes the lines of one turn of the event loop together, in order, at its end", async () => {
  const { written, buffer } = recorded();
  buffer.write("1\n");
  await Promise.resolve();
  buffer.write("2\n");
  expect(written).toEqual([]);
  await turn();
  expect(written).toEqual(["1\n2\n"]);
});

test("writes the lines of many turns together", async () => {
  const { written, buffer } = recorded();
  const lines = Array.from({ length: 100 }, (_, index) => `${String(index)}\n`);
  for (const line of lines) {
    buffer.write(line);
    await turn();
  }
  await sleep(200);
  expect(written.join("")).toBe(lines.join(""));
  expect(written.length).toBeLessThan(20);
  buffer.write("later\n");
  await turn();
  expect(written.at(-1)).toBe("later\n");
});

test("writes many lines of one turn before its end", () => {
  const { written, buffer } = recorded();
  const line = `${"x".repeat(999)}\n`;
  for (let count = 0; count < 100; count++) buffer.write(line);
  expect(written).toHaveLength(1);
  buffer.flushSync();
  expect(written.join("")).toBe(line.repeat(100));
});
