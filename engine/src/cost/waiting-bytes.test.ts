import { afterEach, expect, test, vi } from "vitest";
import { WaitingBytes, type Hold } from "./waiting-bytes.ts";

let waiting: WaitingBytes;
const cut: string[] = [];

function start(limit: number, patience = 1_000): (name: string) => Hold {
  waiting = new WaitingBytes({ limit, patience });
  return (name) =>
    waiting.hold(
      () => name.charAt(0),
      () => void cut.push(name),
    );
}

afterEach(() => {
  waiting.stop();
  cut.length = 0;
  vi.useRealTimers();
});

test("disconnects the largest connection of the client with the most unsent bytes", () => {
  const hold = start(100);
  hold("b1").set(30);
  hold("a1").set(20);
  hold("a2").set(25);
  expect(cut).toEqual([]);
  hold("c1").set(26);
  expect(cut).toEqual(["a2"]);
  expect(waiting.total).toBe(76);
});

test("releases bytes that are sent or dropped", () => {
  const hold = start(100);
  const first = hold("a1");
  first.set(90);
  first.set(10);
  hold("b1").set(90);
  expect(cut).toEqual([]);
  first.release();
  expect(waiting.total).toBe(90);
});

test("finds the largest connection after others have left in any order", () => {
  const hold = start(100);
  const holds = ["a1", "b1", "c1", "d1"].map((name) => hold(name));
  for (const each of holds) each.set(20);
  holds[0]?.release();
  holds[3]?.release();
  holds[2]?.set(30);
  holds[0]?.set(40);
  expect(cut).toEqual([]);
  hold("e1").set(20);
  expect(cut).toEqual(["a1"]);
  holds[1]?.release();
  holds[2]?.release();
  expect(waiting.total).toBe(20);
});

test("disconnects a client that reads nothing for a while, and no client that reads", () => {
  vi.useFakeTimers();
  const hold = start(1_000);
  const [idle, reading] = [hold("a1"), hold("b1")];
  idle.set(10);
  reading.set(10);
  for (let bytes = 9; bytes > 0; bytes -= 1) {
    vi.advanceTimersByTime(500);
    reading.set(bytes);
    idle.set(20 - bytes);
  }
  expect(cut).toEqual(["a1"]);
});
