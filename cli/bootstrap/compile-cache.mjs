import { readdir, rm } from "node:fs/promises";

/** One file each for a script that was ever loaded; those of checkouts that are gone stay. */
const mostFiles = 20_000;

/**
 * The folder where every Node process of a command keeps compiled scripts for the next one (nodejs.org/api/module.html#module-compile-cache),
 * which halves what it takes to load the Pulumi program and its plugins. Entries are told by content, so an outdated one is not used.
 */
export async function compileCache(project) {
  const folder = `${project}/.tools/compile-cache`;
  const files = await readdir(folder, { recursive: true }).catch(() => []);
  // A process at work does without what it cannot write.
  if (files.length > mostFiles) await rm(folder, { recursive: true, force: true });
  return folder;
}
