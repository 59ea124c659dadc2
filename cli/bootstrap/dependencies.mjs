import { mkdir, readFile } from "node:fs/promises";
// oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
import { npm, withLock } from "../../packages/host/npm.mjs";

/**
 * Whether npm has nothing to do: compares the lock file with the record that npm leaves in node_modules at the end of every install. An
 * interrupted install has no record.
 * @param {{ packages: Record<string, { version?: string, optional?: boolean, link?: boolean, resolved?: string }> }} lock
 * @param {{ packages: Record<string, { version?: string, link?: boolean, resolved?: string }> } | undefined} installed
 * @returns {boolean}
 */
export function isInstalled(lock, installed) {
  if (!installed) return false;
  return Object.entries(lock.packages).every(([path, wanted]) => {
    if (!path.includes("node_modules/")) return true;
    const present = installed.packages[path];
    if (!present) return wanted.optional === true;
    return wanted.link
      ? present.link === true && present.resolved === wanted.resolved
      : present.version === wanted.version;
  });
}

const readJson = (path) =>
  readFile(path, "utf8")
    .then(JSON.parse)
    .catch(() => undefined);

/** Installs the locked dependencies if they are missing. Two concurrent runs wait for each other. */
export async function ensureDependencies(project, node) {
  const lock = await readJson(`${project}/package-lock.json`);
  if (!lock) throw new Error("package-lock.json is missing or unreadable: restore it from the repository.");
  const present = async () => isInstalled(lock, await readJson(`${project}/node_modules/.package-lock.json`));
  if (await present()) return;
  await mkdir(`${project}/.tools`, { recursive: true });
  await withLock(`${project}/.tools/dependencies.lock`, async () => {
    if (await present()) return;
    const started = Date.now();
    console.error("Installing the locked dependencies (npm ci)…");
    await npm(["ci"], {
      cwd: project,
      scriptNode: node,
      show: (seconds) => console.error(`Installing the locked dependencies: ${seconds} s so far…`),
    });
    console.error(`Installing the locked dependencies: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  });
}
