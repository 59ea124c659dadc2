import { stat } from "node:fs/promises";

/** A warning if other users can read a private file. Some file systems store no modes (WSL2 below /mnt, exFAT, SMB). */
export async function modeWarnings(file: string): Promise<readonly string[]> {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return [];
  return [
    `Other users can read ${file}: its file system stores no file modes. Move the checkout to one that does (on WSL2 below your home, not /mnt).`,
  ];
}
