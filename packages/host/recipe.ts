import { createHash } from "node:crypto";
import { cp, readFile, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { projectFolder } from "./paths.ts";
import { run } from "./process.ts";
import { downloadSites, requireProxies } from "./reachable.ts";

/** npm's names: `linux`, `arm64`. */
export interface Platform {
  readonly os: string;
  readonly cpu: string;
}

/**
 * Installs the packages of a folder's package-lock.json into `.tools/<name>-<hash>` and returns that folder; only once per lock file.
 * @param recipe folder with package.json and package-lock.json
 * @param platform of the packages, if it is not this machine's
 */
export async function installRecipe(
  name: string,
  recipe: string,
  onLine: (line: string) => void,
  platform?: Platform,
): Promise<string> {
  const hash = createHash("sha256")
    .update(await readFile(join(recipe, "package-lock.json")))
    .digest("hex")
    .slice(0, 12);
  const suffix = platform === undefined ? "" : `-${platform.os}-${platform.cpu}`;
  const folder = join(projectFolder, ".tools", `${name}-${hash}${suffix}`);
  const present = await stat(join(folder, "node_modules")).then(
    () => true,
    () => false,
  );
  if (present) return folder;
  await requireProxies(downloadSites.npm);
  const unfinished = `${folder}.${process.pid}`;
  try {
    await cp(recipe, unfinished, { recursive: true });
    const wanted = platform === undefined ? [] : [`--os=${platform.os}`, `--cpu=${platform.cpu}`];
    await run("npm", ["ci", "--ignore-scripts", "--no-audit", "--no-fund", ...wanted], {
      workingDirectory: unfinished,
      onLine,
      remedy: "check that npm reaches its registry (npm ping).",
    });
    await rm(folder, { recursive: true, force: true });
    await rename(unfinished, folder);
  } finally {
    await rm(unfinished, { recursive: true, force: true });
  }
  return folder;
}
