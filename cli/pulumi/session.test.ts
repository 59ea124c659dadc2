import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { withSession } from "./session.ts";

const folder = vi.hoisted(() => ({ path: "" }));

vi.mock("@routeql/host/paths", async (original) => ({
  ...(await original<object>()),
  stackPaths: () => ({ lock: join(folder.path, "run.lock"), logs: join(folder.path, "logs") }),
}));
vi.mock("node:fs", async (original) => ({
  ...(await original<object>()),
  createWriteStream: () =>
    new Writable({ write: (_chunk, _encoding, done) => done(new Error("ENOSPC: no space left on device, write")) }),
}));

beforeEach(async () => {
  folder.path = await mkdtemp(join(tmpdir(), "routeql-session-"));
});
afterEach(() => rm(folder.path, { recursive: true }));

test("a run continues without its log when the disk is full", async () => {
  const done = await withSession("up", { stack: "test" }, async ({ log }) => {
    log.line("first");
    await new Promise(setImmediate);
    log.line("second");
    return "done";
  });
  expect(done).toBe("done");
});
