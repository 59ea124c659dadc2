import { existsSync } from "node:fs";
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
// oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
import { npm, wasKilled, withLock } from "../../packages/host/npm.mjs";
import { areInstalled, kit, matchesManifest, productionPackages } from "./locked-packages.mjs";

const readJson = (path) =>
  readFile(path, "utf8")
    .then(JSON.parse)
    .catch(() => undefined);

/**
 * Installs the locked packages that a command needs, if they are missing: those of the kit, or all of them for tests, benchmarks and
 * documents. An install of all packages keeps those that are present. Two concurrent runs wait for each other.
 * @param {string} project folder of the checkout
 * @param {{ everything: boolean, install?: typeof npm }} options
 */
export async function ensureDependencies(project, { everything, install = npm }) {
  const lock = await readJson(`${project}/package-lock.json`);
  if (!lock) throw new Error("package-lock.json is missing or unreadable: restore it from the repository.");
  const { packages } = lock;
  const ofKit = productionPackages(packages, kit);
  const incomplete = `${project}/node_modules/.routeql-incomplete`;
  const record = `${project}/node_modules/.package-lock.json`;
  const isComplete = () => existsSync(record) && !existsSync(incomplete);
  const present = async () =>
    isComplete() && areInstalled(packages, await readJson(record), everything ? undefined : ofKit);
  if (await present()) return;
  await mkdir(`${project}/.tools`, { recursive: true });
  await withLock(`${project}/.tools/dependencies.lock`, async () => {
    if (await present()) return;
    const run = (title, ...args) =>
      timed(title, (show) => install([...args, "--ignore-scripts"], { cwd: project, show }));
    if (!everything) return run("the packages of the kit (npm ci)", "ci", "--omit=dev", "--workspace", kit);
    if (isComplete() && (await matchesLock(project, packages))) {
      // `npm ci` would delete the present packages first. An interrupted install leaves incomplete ones.
      await writeFile(incomplete, "");
      try {
        await run("the missing packages (npm install)", "install", "--include=dev", "--no-save");
      } catch (error) {
        // After an error of its own, npm has restored the folder.
        if (!wasKilled(error)) await rm(incomplete);
        throw error;
      }
      await rm(incomplete);
      if (await present()) return;
    }
    return run("all packages (npm ci)", "ci", "--include=dev");
  });
}

/** Whether every package.json of the repository lists the dependencies that the lock file has. */
async function matchesLock(project, packages) {
  const folders = Object.keys(packages).filter((path) => !path.includes("node_modules/"));
  const all = await Promise.all(
    folders.map(async (folder) => {
      const manifest = await readJson(`${project}/${folder}/package.json`);
      return manifest !== undefined && matchesManifest(packages[folder], manifest);
    }),
  );
  return all.every(Boolean);
}

async function timed(title, work) {
  const started = Date.now();
  console.error(`Installing ${title}…`);
  await work((seconds) => console.error(`Installing ${title}: ${seconds} s so far…`));
  console.error(`Installing ${title}: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
}
