import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { asset } from "@pulumi/pulumi";

async function write(archive: asset.AssetArchive, folder: string): Promise<void> {
  for (const [name, part] of Object.entries(await archive.assets)) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    if (part instanceof asset.AssetArchive) await write(part, path);
    else if (part instanceof asset.StringAsset) writeFileSync(path, await part.text);
    else if (part instanceof asset.FileAsset || part instanceof asset.FileArchive)
      cpSync(resolve(await part.path), path, { recursive: true });
    else throw new Error(`${name} of an AssetArchive is a remote asset; use a file or a text.`);
  }
}

/** The folder of a value that may be an archive: the own one of a FileArchive, else a temporary one with its files. Other values are unchanged. */
export async function folderOf(value: unknown): Promise<unknown> {
  if (value instanceof asset.FileArchive) return resolve(await value.path);
  if (!(value instanceof asset.AssetArchive)) return value;
  const folder = mkdtempSync(join(tmpdir(), "routeql-archive-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Pulumi ends a plugin by a signal, which alone raises no exit event.
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => process.exit());
  await write(value, folder);
  return folder;
}
