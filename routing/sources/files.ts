import { createReadStream } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { addAbortSignal } from "node:stream";
import type { ByteSource } from "../formats/records.ts";

/** The bytes of a file or of standard input (`-`), and the share of them that was read. */
export class ReadBytes {
  private readonly file: string;
  private readonly gone: AbortSignal;
  private read = 0;
  private size = 0;

  /** @param gone ends the wait for more bytes, for example of a pipe */
  constructor(file: string, gone: AbortSignal) {
    this.file = file;
    this.gone = gone;
  }

  /** 0 to 1; undefined for standard input, pipes and other files without a size. */
  get share(): number | undefined {
    return this.size > 0 ? Math.min(1, this.read / this.size) : undefined;
  }

  /** Whether no byte was read. */
  get isEmpty(): boolean {
    return this.read === 0;
  }

  /** The file is opened on demand. */
  async *chunks(): ByteSource {
    if (this.file !== "-")
      this.size = await stat(this.file).then(
        ({ size }) => size,
        () => 0,
      );
    const stream = this.file === "-" ? process.stdin : createReadStream(this.file);
    for await (const chunk of addAbortSignal(this.gone, stream)) {
      this.read += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
}

/** A folder stands for the files in it, in the order of their names. An unreadable path stays, so that reading it reports the reason. */
export async function withFolders(files: readonly string[]): Promise<readonly string[]> {
  const lists = files.map(async (file) => {
    if (file === "-") return [file];
    const entries = await readdir(file, { withFileTypes: true }).catch(() => undefined);
    if (entries === undefined) return [file];
    return entries
      .filter((entry) => entry.isFile() && !entry.name.startsWith("."))
      .map(({ name }) => join(file, name))
      .toSorted();
  });
  return (await Promise.all(lists)).flat();
}
