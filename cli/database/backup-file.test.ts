import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { BackupFile, writeComplete } from "./backup-file.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "routeql-backup-file-"))));
afterAll(() => rm(folder, { recursive: true }));

/** Larger than a piece, and no multiple of it. */
const dump = Buffer.alloc(40_000_001, "PGDMP, then rows. ");
const state = { version: "1.2.3", content: Buffer.from("encrypted") };

const write = (pieces: Writable): Promise<void> =>
  pipeline(
    (function* () {
      for (let at = 0; at < dump.length; at += 999_983) yield dump.subarray(at, at + 999_983);
    })(),
    pieces,
    { end: false },
  );

test("reads the dump and the state of a complete backup", async () => {
  const target = createWriteStream(join(folder, "complete.tar"));
  await writeComplete(state, target, write);
  target.end();
  await finished(target);
  const backup = await BackupFile.open(join(folder, "complete.tar"));
  const pieces = backup.dump();
  // The program that reads them starts later.
  await sleep(200);
  expect(dump.equals(await buffer(pieces))).toBe(true);
  expect(await backup.state()).toEqual(state);
});

test("reads a dump without a state", async () => {
  await writeFile(join(folder, "alone.dump"), dump);
  const backup = await BackupFile.open(join(folder, "alone.dump"));
  expect(dump.equals(await buffer(backup.dump()))).toBe(true);
  expect(await backup.state()).toBeUndefined();
});

test("fails with its target", async () => {
  const full = new Writable({ write: (_chunk, _encoding, done) => done(new Error("no space left on device")) });
  full.on("error", () => undefined);
  await expect(writeComplete(state, full, write)).rejects.toThrow();
});

test("rejects other files", async () => {
  await writeFile(join(folder, "other.tar"), "something else");
  await expect(BackupFile.open(join(folder, "other.tar"))).rejects.toThrow("is not a backup");
});
