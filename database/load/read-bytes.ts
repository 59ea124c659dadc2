import { createReadStream } from "node:fs";
import { stat } from "node:fs/promises";
import { addAbortSignal } from "node:stream";
import type { ByteSource } from "./byte-source.ts";

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

  /** The file is opened on demand. */
  async *chunks(): ByteSource {
    if (this.file !== "-") this.size = await stat(this.file).then(({ size }) => size, () => 0);
    const stream = this.file === "-" ? process.stdin : createReadStream(this.file);
    for await (const chunk of addAbortSignal(this.gone, stream)) {
      this.read += (chunk as Buffer).length;
      yield chunk as Buffer;
    }
  }
}
