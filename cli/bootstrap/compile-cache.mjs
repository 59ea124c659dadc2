import { readdir, rm } from "node:fs/promises";

/** The cache holds one file per loaded script. Files of deleted checkouts stay, so the count is limited. */
const mostFiles = 20_000;

/**
 * The folder where all Node processes of a command cache compiled scripts (nodejs.org/api/module.html#module-compile-cache).
 * The cache halves the time to load the Pulumi program and its plugins. Entries are keyed by content, so stale entries are never used.
 */
export async function compileCache(project) {
  const folder = `${project}/.tools/compile-cache`;
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  // A running process works without a cache entry that it cannot write.
  if (files.length > mostFiles) await rm(folder, { recursive: true, force: true });
  return folder;
}
