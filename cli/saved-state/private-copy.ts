import { constants } from "node:fs";
import { copyFile, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { unreadable } from "@routeql/database-access/unreadable";
import { Failure, messageOf } from "@routeql/host/failure";

/** A file in a folder of the operator alone; the end of its scope deletes it. */
export interface PrivateCopy extends AsyncDisposable {
  readonly path: string;
}

/** Copies a backup that others can write, so that the authenticated file is the restored file. @throws Failure if it cannot be copied */
export async function privateCopyOf(file: string): Promise<PrivateCopy> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-backup-"));
  const remove = (): Promise<void> => rm(folder, { recursive: true, force: true });
  const path = join(folder, basename(file));
  try {
    await copyFile(file, path, constants.COPYFILE_FICLONE);
  } catch (error) {
    await remove();
    throw new Failure(`${file} cannot be copied to ${tmpdir()}: ${unreadable(error) ?? messageOf(error)}`, {
      remedy: "name a readable file, or set TMPDIR to a folder with room for it.",
      cause: error,
    });
  }
  return { path, [Symbol.asyncDispose]: remove };
}
