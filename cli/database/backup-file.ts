import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import { callbackify } from "node:util";
import { unreadable } from "@routeql/database-access/unreadable";
import { Failure, messageOf } from "@routeql/host/failure";
import { extract, pack } from "tar-stream";
import type { SavedState } from "../stack/saved-state.ts";

/** Entries of a complete backup, a tar. The concatenated pieces are the dump; an entry needs its size first. */
const entries = { version: "version", state: "state.cms", piece: "database.dump." } as const;
const pieceBytes = 16 * 2 ** 20;

/** Writes a complete backup to a target, which stays open. @param dump writes the dump to a stream that stays open */
export async function writeComplete<T>(
  { version, content }: SavedState,
  target: Writable,
  dump: (pieces: Writable) => Promise<T>,
): Promise<T> {
  // Every failure reaches the caller through the promises below.
  const archive = pack().on("error", () => undefined);
  const sent = pipeline(archive, target, { end: false });
  sent.catch(() => undefined);
  const add = (name: string, bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const entry = { name, size: bytes.length, mode: 0o600 };
      archive.entry(entry, bytes, (error) => (error ? reject(error) : resolve())).on("error", reject);
    });
  await add(entries.version, Buffer.from(version));
  await add(entries.state, content);
  let chunks: Buffer[] = [];
  let size = 0;
  let count = 0;
  const flush = callbackify(() => {
    count += 1;
    const added = add(`${entries.piece}${String(count).padStart(6, "0")}`, Buffer.concat(chunks));
    [chunks, size] = [[], 0];
    return added;
  });
  const pieces = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      size += chunk.length;
      if (size < pieceBytes) done();
      else flush(done);
    },
    final: flush,
  });
  const result = await dump(pieces);
  pieces.end();
  await finished(pieces);
  archive.finalize();
  await sent;
  return result;
}

interface Entry extends Readable {
  readonly header: { readonly name: string };
}

/** A file of `npm run backup`: a dump in pg_dump's custom format, or a complete backup. */
export class BackupFile {
  readonly name: string;
  readonly #complete: boolean;

  private constructor(name: string, complete: boolean) {
    this.name = name;
    this.#complete = complete;
  }

  /** @throws Failure when the file is not a backup */
  static async open(name: string): Promise<BackupFile> {
    const remedy = "choose a file that `npm run backup` wrote.";
    const start = Buffer.alloc(512);
    try {
      await using handle = await open(name);
      await handle.read(start, 0, start.length, 0);
    } catch (error) {
      throw new Failure(`${name} cannot be read: ${unreadable(error) ?? messageOf(error)}`, { remedy, cause: error });
    }
    const text = start.toString("latin1");
    const complete = text.startsWith(`${entries.version}\0`) && text.slice(257).startsWith("ustar");
    if (!complete && !text.startsWith("PGDMP"))
      throw new Failure(`${name} is not a backup (it does not start with the header of pg_dump's custom format)`, {
        remedy,
      });
    return new BackupFile(name, complete);
  }

  dump(): Readable {
    if (!this.#complete) return createReadStream(this.name);
    const archive = this.#entries();
    return Readable.from(
      (async function* () {
        for await (const entry of archive)
          if (entry.header.name.startsWith(entries.piece)) yield* entry;
          else entry.resume();
      })(),
      { objectMode: false },
    );
  }

  /** Reads the file when its reader starts: the archive waits forever after an entry without a reader. */
  async *#entries(): AsyncIterable<Entry> {
    const archive = extract();
    pipeline(createReadStream(this.name), archive).catch((error: Error) => archive.destroy(error));
    yield* archive as AsyncIterable<unknown> as AsyncIterable<Entry>;
  }

  /** Undefined for a backup of the database alone. */
  async state(): Promise<SavedState | undefined> {
    if (!this.#complete) return undefined;
    let version = "";
    for await (const entry of this.#entries()) {
      const content = await buffer(entry);
      if (entry.header.name === entries.version) version = content.toString();
      else return { version, content };
    }
    return undefined;
  }
}
