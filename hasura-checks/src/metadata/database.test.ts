import pg from "pg";
import { expect, test, vi } from "vitest";
import { ReadOnlyDatabase } from "./database.ts";

test("a rehearsal whose connection breaks returns it to the pool, with the reason", async () => {
  const broken = new Error("Connection terminated unexpectedly");
  const client = { query: () => Promise.reject(broken), release: vi.fn<(error?: Error) => void>() };
  using _pool = vi.spyOn(pg.Pool.prototype, "connect").mockResolvedValue(client as never);
  await using database = await ReadOnlyDatabase.open("postgres://127.0.0.1/app?sslmode=disable");
  client.release.mockClear();
  await expect(database.rehearse("select 1", {}, () => expect.unreachable())).rejects.toThrow(broken);
  expect(client.release.mock.calls).toEqual([[broken]]);
});
