import { access, constants } from "node:fs/promises";
import { delimiter, join } from "node:path";
import { Failure } from "./failure.ts";
import { run } from "./process.ts";
import { downloadSites, requireProxies } from "./reachable.ts";

/** The absolute path of a program on PATH, or in the folders for root's programs. */
export async function findProgram(
  name: string,
  environment: NodeJS.ProcessEnv = process.env,
): Promise<string | undefined> {
  for (const folder of [...(environment.PATH ?? "").split(delimiter), "/usr/local/sbin", "/usr/sbin", "/sbin"]) {
    const path = join(folder, name);
    const found = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (folder !== "" && found) return path;
  }
  return undefined;
}

/** Whether packages can be installed: apt exists and this process is root. */
export async function canInstallPackages(): Promise<boolean> {
  return process.getuid?.() === 0 && (await findProgram("apt-get")) !== undefined;
}

let queue: Promise<unknown> = Promise.resolve();
let listsAreFresh = false;

/** Installs Debian packages, one call at a time; waits for other users of apt. An interrupt would leave a half-configured package. */
export function installPackages(
  names: readonly string[],
  onLine: (line: string) => void,
  purpose: string,
): Promise<void> {
  const work = async (): Promise<void> => {
    const environment = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C.UTF-8" };
    const wait = ["-o", "DPkg::Lock::Timeout=300", "-o", "Acquire::Retries=3"];
    const remedy = `install ${names.join(", ")} (${purpose}) with your package manager, then run this command again.`;
    if (!(await canInstallPackages()))
      throw new Failure(`${names.join(", ")} missing, and only root can install packages with apt`, { remedy });
    await requireProxies(downloadSites.debian);
    const install = (): Promise<unknown> =>
      run("apt-get", ["install", "--yes", "--no-install-recommends", ...wait, ...names], {
        environment,
        onLine,
        remedy,
      });
    if (!listsAreFresh) {
      await run("apt-get", ["update", ...wait], { environment, onLine, remedy });
      listsAreFresh = true;
    }
    await install();
  };
  const result = queue.then(work, work);
  queue = result.catch(() => undefined);
  return result;
}
