import { access, cp, mkdir, readFile } from "node:fs/promises";
import { constants } from "node:fs";
import { fileURLToPath } from "node:url";
// oxlint-disable-next-line packages/imports -- by its path, because this runs before the packages are linked
import { npm, withLock } from "../../packages/host/npm.mjs";

const recipe = fileURLToPath(new URL("./node-runtime", import.meta.url));

/** The absolute path of the pinned Node in .tools/, which the first call downloads from the npm registry. */
export async function ensureNode(project) {
  const name = `node-${process.platform}-${process.arch}`;
  const lock = JSON.parse(await readFile(`${recipe}/package-lock.json`, "utf8"));
  const wanted = lock.packages[`node_modules/${name}`];
  if (!wanted) {
    throw new Error(
      `No prebuilt Node 24 exists for ${process.platform} on ${process.arch}: install it from https://nodejs.org.`,
    );
  }
  const folder = `${project}/.tools/node-${wanted.version}`;
  const node = `${folder}/node_modules/${name}/bin/node`;
  const present = () =>
    access(node, constants.X_OK).then(
      () => true,
      () => false,
    );
  if (await present()) return node;
  await mkdir(`${project}/.tools`, { recursive: true });
  await withLock(`${project}/.tools/node.lock`, async () => {
    if (await present()) return;
    const started = Date.now();
    console.error(`Downloading Node ${wanted.version} (this one is ${process.versions.node})…`);
    await cp(recipe, folder, { recursive: true });
    await npm(["ci", "--ignore-scripts"], {
      cwd: folder,
      show: (seconds) => console.error(`Downloading Node ${wanted.version}: ${seconds} s so far…`),
    });
    console.error(`Downloading Node ${wanted.version}: done in ${((Date.now() - started) / 1000).toFixed(1)} s`);
  });
  return node;
}
