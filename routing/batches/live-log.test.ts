import { expect, test, vi } from "vitest";
import { LiveLog, mostRows } from "./live-log.ts";
import { Repetitions } from "./repetitions.ts";

const rows = (timestamp: string, text = "row\n") => ({ text, count: 1, timestamp });
const never = new AbortController().signal;

test("gathers rows to one transaction, in order with gaps", async () => {
  const log = new LiveLog(1000, () => {});
  log.addRows(rows("2026-01-01T00:00:02"), 1);
  log.addRows(rows("2025-12-31T23:59:59"), 2);
  log.add({ kind: "gap", at: 3, reason: "silent" });
  log.addRows(rows("2026-01-01T00:00:03"), 4);
  log.prove(5);
  log.close();
  const head = await log.head(never);
  expect(head?.kind === "rows" && [...head.text].join("")).toBe("row\nrow\n");
  expect(head).toMatchObject({
    kind: "rows",
    rows: 2,
    first: "2025-12-31T23:59:59",
    last: "2026-01-01T00:00:02",
    days: new Set(["2026-01-01", "2025-12-31"]),
    provenAt: 2,
  });
  log.removeHead();
  expect(await log.head(never)).toEqual({ kind: "gap", at: 3, reason: "silent" });
  log.removeHead();
  expect(await log.head(never)).toMatchObject({ rows: 1, provenAt: 5 });
  log.removeHead();
  expect(await log.head(never)).toBeUndefined();
});

test("keeps rows that arrive while the head is stored out of it", async () => {
  const log = new LiveLog(1000, () => {});
  log.addRows(rows("2026-01-01T00:00:02"), 1);
  log.addRows(rows("2026-01-01T00:00:02"), 1);
  const head = await log.head(never);
  log.addRows(rows("2026-01-01T00:00:03"), Date.now());
  log.prove(9);
  expect(head).toMatchObject({ rows: 2, provenAt: 1 });
  log.removeHead();
  expect(log.isEmpty).toBe(false);
  expect(await log.head(never)).toMatchObject({ rows: 1, provenAt: 9 });
});

test("bounds the rows of a transaction", async () => {
  const log = new LiveLog(1_000_000, () => {});
  for (let count = 0; count <= mostRows; count += 1) log.addRows(rows("2026-01-01T00:00:02"), Date.now());
  expect(await log.head(never)).toMatchObject({ rows: mostRows });
});

test("presses on the source when it is full, until half of it is stored", async () => {
  const pressure = vi.fn();
  const log = new LiveLog(10, pressure);
  log.addRows(rows("2026-01-01T00:00:02", "12345678"), 1);
  expect(pressure).not.toHaveBeenCalled();
  await log.head(never);
  log.addRows(rows("2026-01-01T00:00:02", "123456"), 1);
  expect(pressure.mock.calls).toEqual([[true]]);
  log.removeHead();
  expect(log.bytes).toBe(6);
  await log.head(never);
  log.removeHead();
  expect(pressure.mock.calls).toEqual([[true], [false]]);
});

test("the wait for an entry ends with its signal", async () => {
  const end = new AbortController();
  const head = new LiveLog(1000, () => {}).head(end.signal);
  end.abort();
  expect(await head).toBeUndefined();
});

const update = {
  timestamp: "2026-01-01T00:00:00.100",
  prefix: "192.0.2.0/24",
  peerAsn: 64_496,
  monitor: null,
  type: "A",
  path: [64_496, 64_500],
  communities: "[]",
  service: "ripe-ris|rrc00",
} as const;

test("numbers equal updates of different messages, and recognises a message that arrives twice", () => {
  const repetitions = new Repetitions();
  expect(repetitions.number(update, "a", 0)).toBe(0);
  expect(repetitions.number(update, "b", 0)).toBe(1);
  expect(repetitions.number(update, "a", 0)).toBeUndefined();
  expect(repetitions.number({ ...update, path: [64_496, [64_500]] }, "a", 0)).toBe(0);
  expect(repetitions.number({ ...update, timestamp: "2026-01-01T00:00:00.101" }, "a", 0)).toBe(0);
});

test("remembers a delivered update for three seconds at least", () => {
  const repetitions = new Repetitions();
  expect(repetitions.number(update, "a", 100_000)).toBe(0);
  expect(repetitions.number(update, "a", 103_001)).toBeUndefined();
  expect(repetitions.number(update, "b", 104_000)).toBe(1);
  expect(repetitions.number(update, "a", 200_000)).toBeUndefined();
  expect(repetitions.number({ ...update, type: "W" }, "a", 300_000)).toBe(0);
  expect(repetitions.number({ ...update, type: "W" }, "b", 400_000)).toBe(1);
});

test("counts gaps towards its size", async () => {
  const pressure: boolean[] = [];
  const log = new LiveLog(1000, (full) => void pressure.push(full));
  for (let at = 0; at < 4; at += 1) log.add({ kind: "found", at, end: at, reason: "lost" });
  expect(pressure).toEqual([true]);
  for (let at = 0; at < 4; at += 1) {
    await log.head(never);
    log.removeHead();
  }
  expect(pressure).toEqual([true, false]);
  expect(log.bytes).toBe(0);
});
