import { stat } from "node:fs/promises";

/** A warning where others may read a file that was written for its owner alone; some file systems keep no modes (WSL2 below /mnt, exFAT, SMB). */
export async function modeWarnings(file: string): Promise<readonly string[]> {
  const { mode } = await stat(file);
  if ((mode & 0o077) === 0) return [];
  return [`Others may read ${file}: its file system keeps no file modes. Move the checkout to a folder that does (on WSL2 below your home, not /mnt).`];
}
