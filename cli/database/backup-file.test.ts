import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough, type Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { extract, pack } from "tar-stream";
import { BackupFile, writeComplete } from "./backup-file.ts";

let folder = "";
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), "routeql-backup-file-"))));
afterAll(() => rm(folder, { recursive: true }));

/** Larger than a piece, and no multiple of it. */
const dump = Buffer.alloc(40_000_001, "PGDMP, then rows. ");
const token = Buffer.alloc(32, 1);
const state = { version: "1.2.3", content: Buffer.from("encrypted") };

const write = (pieces: Writable): Promise<void> =>
  pipeline(
    (function* () {
      for (let at = 0; at < dump.length; at += 999_983) yield dump.subarray(at, at + 999_983);
    })(),
    pieces,
    { end: false },
  );

interface TarEntry {
  readonly name: string;
  readonly content: Buffer;
}

async function entriesOf(archive: Buffer): Promise<{ proof: TarEntry; rest: readonly TarEntry[] }> {
  const reader = extract();
  reader.end(archive);
  const all: TarEntry[] = [];
  for await (const entry of reader as AsyncIterable<Readable & { header: { name: string } }>)
    all.push({ name: entry.header.name, content: await buffer(entry) });
  return { proof: all.at(-1)!, rest: all.slice(0, -1) };
}

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
  expect(await backup.state(undefined)).toEqual(state);
  await expect(backup.state(token)).rejects.toThrow("is not authentic: it has no authentication");
});

test("accepts an authenticated backup with its token, and rejects every change", async () => {
  const target = new PassThrough();
  const bytes = buffer(target);
  await writeComplete({ ...state, token }, target, write);
  target.end();
  const whole = await bytes;
  const file = join(folder, "authentic.tar");
  const read = async (content: Buffer): Promise<unknown> => {
    await writeFile(file, content);
    return (await BackupFile.open(file)).state(token);
  };
  expect(await read(whole)).toEqual(state);
  for (const text of ["1.2.3", "encrypted", "then rows"]) {
    const changed = Buffer.from(whole);
    changed.write("X", changed.indexOf(text), "latin1");
    await expect(read(changed), text).rejects.toThrow("is not authentic: it was changed");
  }
  const { proof, rest } = await entriesOf(whole);
  const repack = async (entries: readonly TarEntry[]): Promise<Buffer> => {
    const archive = pack();
    for (const { name, content } of entries) archive.entry({ name }, content);
    archive.finalize();
    return buffer(archive);
  };
  await expect(read(await repack(rest))).rejects.toThrow("has no authentication");
  await expect(read(await repack([...rest.slice(0, -1), proof]))).rejects.toThrow("was changed");
  await expect(
    read(await repack([...rest, proof, { name: "state.cms", content: Buffer.from("other") }])),
  ).rejects.toThrow('has the entry "state.cms" after its authentication');
  const [first] = rest;
  for (const entry of [first!, { name: "database.dump.1", content: Buffer.from("rows") }])
    await expect(read(await repack([...rest, entry, proof]))).rejects.toThrow("has the unexpected entry");
  await writeFile(file, whole);
  await expect((await BackupFile.open(file)).state(Buffer.alloc(32, 2))).rejects.toThrow("another recipient file");
});

test("reads a dump without a state", async () => {
  await writeFile(join(folder, "alone.dump"), dump);
  const backup = await BackupFile.open(join(folder, "alone.dump"));
  expect(dump.equals(await buffer(backup.dump()))).toBe(true);
  expect(await backup.state(token)).toBeUndefined();
});

test.each([
  ["the state", 1_000],
  ["a piece of the dump", 20_000_000],
])("fails with the error of its target at %s", async (_place, space) => {
  let left = space;
  const full = new Writable({
    write(chunk: Buffer, _encoding, done) {
      left -= chunk.length;
      done(left < 0 ? new Error("no space left on device") : null);
    },
  });
  full.on("error", () => undefined);
  const slow = async (pieces: Writable): Promise<void> => {
    await sleep(50);
    await write(pieces);
  };
  await expect(writeComplete(state, full, slow)).rejects.toThrow("no space left on device");
});

test("fails with the error of its dump", async () => {
  const broken = (): Promise<never> => Promise.reject(new Error("pg_dump failed"));
  await expect(writeComplete(state, new PassThrough().resume(), broken)).rejects.toThrow("pg_dump failed");
});

test("rejects other files", async () => {
  await writeFile(join(folder, "other.tar"), "something else");
  await expect(BackupFile.open(join(folder, "other.tar"))).rejects.toThrow("is not a backup");
});
