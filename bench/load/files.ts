import { createWriteStream } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { madeUpOrigin, madeUpPrefix, madeUpUpdates } from "./made-up-updates.ts";

/** Updates as `bgpdump -m` text and a configuration of detection, in a temporary folder. */
export class LoadFiles implements AsyncDisposable {
  readonly updates: string;
  readonly configuration: string;
  private readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
    this.updates = join(folder, "updates.bgpdump");
    this.configuration = join(folder, "prefixes.json");
  }

  /** @param prefixes number of configured prefixes: every 20th of the table, with its origin */
  static async write(updates: number, prefixes: number): Promise<LoadFiles> {
    const files = new LoadFiles(await mkdtemp(join(tmpdir(), "bench-load-")));
    await pipeline(Readable.from(madeUpUpdates(updates, 31)), createWriteStream(files.updates));
    const configured = Array.from({ length: prefixes }, (_, index) => ({
      prefix: madeUpPrefix(index * 20),
      origins: [madeUpOrigin(index * 20)],
    }));
    await writeFile(files.configuration, JSON.stringify({ prefixes: configured }));
    return files;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.folder, { recursive: true });
  }
}
