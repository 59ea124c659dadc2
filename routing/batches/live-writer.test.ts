import type { Client } from "pg";
import { expect, test, vi } from "vitest";
import { LiveWriter } from "./live-writer.ts";

/** A session that remembers the statements. */
function session({ free = true, configured = true } = {}) {
  const statements: string[] = [];
  const query = async (text: string): Promise<unknown> => {
    statements.push(text);
    if (text.includes("pg_try_advisory_xact_lock")) return { rows: [{ free }] };
    if (text.includes("from routing.detection")) return { rows: configured ? [{ version: "1", autoignore: [] }] : [] };
    return { rows: [] };
  };
  const sweeps = (): number => statements.filter((text) => text.includes("set dormant = true")).length;
  return { client: { query } as unknown as Client, statements, sweeps };
}

const alive = { kind: "alive", provenAt: 0 } as const;

test("a silent source leads to a look at silent hijacks, at most each minute", async () => {
  vi.useFakeTimers({ now: Date.UTC(2026, 4, 4) });
  try {
    const { client, statements, sweeps } = session();
    const writer = await LiveWriter.on(client, "ris-live");
    await writer.write(alive, 0);
    const place = statements.findIndex((text) => text.includes("update routing.feed_sources"));
    // The place is stored first: nothing of it waits for the look.
    expect(statements.slice(place + 1).filter((text) => /^(?:begin|commit)$|pg_try|dormant/.test(text.trim()))).toEqual(
      [
        "commit",
        "begin",
        expect.stringContaining("pg_try_advisory_xact_lock"),
        expect.stringContaining("set dormant = true"),
        "commit",
      ],
    );
    vi.advanceTimersByTime(59_000);
    await writer.write(alive, 0);
    expect(sweeps()).toBe(1);
    vi.advanceTimersByTime(1_000);
    await writer.write(alive, 0);
    expect(sweeps()).toBe(2);
  } finally {
    vi.useRealTimers();
  }
});

test("a look at silent hijacks does not wait for the turn of another session", async () => {
  const { client, statements, sweeps } = session({ free: false });
  const writer = await LiveWriter.on(client, "ris-live");
  await writer.write(alive, 0);
  expect(sweeps()).toBe(0);
  expect(statements.at(-1)).toBe("commit");
});

test("without a configuration there is no look at silent hijacks, and no transaction for it", async () => {
  const { client, statements } = session({ configured: false });
  const writer = await LiveWriter.on(client, "ris-live");
  await writer.write(alive, 0);
  expect(statements.filter((text) => text === "begin")).toHaveLength(1);
});
