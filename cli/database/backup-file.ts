import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { finished, pipeline } from "node:stream/promises";
import { callbackify } from "node:util";
import { unreadable } from "@routeql/database-access/unreadable";
import { Failure, messageOf } from "@routeql/host/failure";
import { extract, pack } from "tar-stream";
import { addEntry, authenticator, isSame } from "../saved-state/backup-token.ts";
import type { SavedState } from "../saved-state/saved-state.ts";

/**
 * Entries of a complete backup, a tar. The concatenated pieces are the dump; an entry needs its size first. The last entry authenticates
 * the names, sizes and contents before it.
 */
const entries = { version: "version", state: "state.cms", piece: "database.dump.", proof: "authentication" } as const;
const pieceBytes = 16 * 2 ** 20;

async function writeEntries<T>(
  { version, content, token }: SavedState,
  target: Writable,
  dump: (pieces: Writable) => Promise<T>,
): Promise<T> {
  // Every failure reaches the caller through the promises below.
  const archive = pack().on("error", () => undefined);
  const sent = pipeline(archive, target, { end: false });
  sent.catch(() => undefined);
  const proof = token && authenticator(token);
  const addUnproven = (name: string, bytes: Buffer): Promise<void> =>
    new Promise((resolve, reject) => {
      const entry = { name, size: bytes.length, mode: 0o600 };
      archive.entry(entry, bytes, (error) => (error ? reject(error) : resolve())).on("error", reject);
    });
  const add = (name: string, bytes: Buffer): Promise<void> => {
    if (proof) addEntry(proof, name, bytes.length).update(bytes);
    return addUnproven(name, bytes);
  };
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
  if (proof) await addUnproven(entries.proof, proof.digest());
  archive.finalize();
  await sent;
  return result;
}

/** Writes a complete backup to a target, which stays open. @param dump writes the dump to a stream that stays open */
export async function writeComplete<T>(
  state: SavedState,
  target: Writable,
  dump: (pieces: Writable) => Promise<T>,
): Promise<T> {
  try {
    return await writeEntries(state, target, dump);
  } catch (error) {
    // A failed target closes the archive, whose own error then hides the reason.
    throw target.errored ?? error;
  }
}

interface Entry extends Readable {
  readonly header: { readonly name: string; readonly size: number };
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

  /** Undefined for a backup of the database alone. @param token undefined accepts every file @throws Failure when the token does not fit */
  async state(token: Buffer | undefined): Promise<SavedState | undefined> {
    if (!this.#complete) return undefined;
    const proof = token && authenticator(token);
    let [version, content, found]: (Buffer | undefined)[] = [];
    const seen = new Set<string>();
    for await (const entry of this.#entries()) {
      const { name, size } = entry.header;
      if (found !== undefined)
        throw this.#unauthentic(`has the entry ${JSON.stringify(name)} after its authentication`);
      const isPiece = /^\d{6}$/.test(name.slice(entries.piece.length)) && name.startsWith(entries.piece);
      const isOther = name === entries.version || name === entries.state || name === entries.proof;
      // Bounded names make the authenticated text unambiguous.
      if (!isPiece && (!isOther || seen.has(name)))
        throw this.#unauthentic(`has the unexpected entry ${JSON.stringify(name)}`);
      seen.add(name);
      if (name === entries.proof) {
        found = await buffer(entry);
        continue;
      }
      if (proof) addEntry(proof, name, size);
      if (isPiece) for await (const chunk of entry) proof?.update(chunk as Buffer);
      else {
        const bytes = await buffer(entry);
        proof?.update(bytes);
        if (name === entries.version) version = bytes;
        else if (name === entries.state) content = bytes;
      }
    }
    if (proof) {
      if (found === undefined) throw this.#unauthentic("has no authentication");
      if (!isSame(found, proof.digest()))
        throw this.#unauthentic("was changed, or written with another recipient file");
    }
    return content && { version: version?.toString() ?? "", content };
  }

  #unauthentic(reason: string): Failure {
    return new Failure(`${this.name} is not authentic: it ${reason}`, {
      remedy:
        "choose another copy of the backup. --unauthenticated accepts a file of an earlier version; a user who could write it then chooses the settings and secrets of the stack.",
    });
  }
}
