import { open, rm } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { pack } from "tar-stream";
import { Failure } from "@routeql/host/failure";

/** One file of the bundle. */
export interface Entry {
  readonly name: string;
  readonly text: string;
}

/** Writes the entries into `file` (tar.gz), which only its owner can read. @throws Failure when the file exists or cannot be written */
export async function writeBundle(file: string, folder: string, entries: readonly Entry[]): Promise<void> {
  const handle = await open(file, "wx", 0o600).catch((error: NodeJS.ErrnoException) => {
    const reason = error.code === "EEXIST" ? "exists already" : `cannot be written (${error.code ?? error.message})`;
    throw new Failure(`${file} ${reason}`, { remedy: "name another file with --to.", cause: error });
  });
  try {
    const archive = pack();
    for (const { name, text } of entries) archive.entry({ name: `${folder}/${name}`, mode: 0o600 }, text);
    archive.finalize();
    await pipeline(archive, createGzip(), handle.createWriteStream());
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await handle.close().catch(() => undefined);
  }
}
