import { ensureBases } from "@routeql/cli/docker/base-images";
import { ensureEngine } from "@routeql/cli/docker/engine";
import { canInstallPackages, findProgram, installPackages } from "@routeql/host/apt";
import { Failure, messageOf } from "@routeql/host/failure";
import { builtImages } from "@routeql/infra/images";
import { settings } from "@routeql/infra/settings/list";
import { chromiumAbsent } from "../harness/browser.ts";
import { preparedDatabaseImage } from "../harness/database-image.ts";
import { image } from "../harness/image.ts";

const say = (text: string): void => console.log(`  ${text}`);
const options = { say, show: say, onLine: () => undefined, signal: new AbortController().signal };

/** Brings a Docker engine, its client and the base images. What is there is left alone. @throws when they cannot be had */
export async function prepareDocker(): Promise<void> {
  await ensureEngine(options);
  await ensureBases({ debianBase: settings.debianBase.default, nodeBase: settings.nodeBase.default }, true, options);
  // Debian 13 packs the client apart from the engine.
  if ((await findProgram("docker")) === undefined) await installPackages(["docker-cli"], options.onLine, "looks into containers");
}

/** Why the suites with containers cannot run. */
export interface Obstacle {
  readonly reason: string;
  /** The machine lacks a Docker engine or the rights to use one; otherwise something broke. */
  readonly machine: boolean;
}

/**
 * Brings what the container suites stand on: a Docker engine, the base images, the kit's images, curl and a browser. What is there is left alone.
 * Without a browser its tests are skipped and say so.
 */
export async function prepare(): Promise<Obstacle | undefined> {
  console.log("\npreparing: Docker, base images, the kit's images, clients");
  try {
    await prepareDocker();
  } catch (error) {
    return { reason: inOneLine(error), machine: error instanceof Failure };
  }
  try {
    await prepareImages();
  } catch (error) {
    return { reason: inOneLine(error), machine: false };
  }
  return undefined;
}

/** The failure, its last line and the remedy. */
function inOneLine(error: unknown): string {
  if (!(error instanceof Failure)) return messageOf(error);
  const [last] = error.lastLines.slice(-1);
  return [`${error.message}${last === undefined ? "" : ` (${last.trim()})`}.`, ...(error.remedy === undefined ? [] : [`To run it, ${error.remedy}`])].join(" ");
}

async function prepareImages(): Promise<void> {
  for (const make of [...builtImages().map(({ name }) => () => image(name)), preparedDatabaseImage]) {
    const started = performance.now();
    const reference = await make();
    console.log(`  ${reference} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  if ((await findProgram("git")) === undefined) await installPackages(["git"], options.onLine, "copies the checkout for tests that change it");
  if ((await findProgram("curl")) === undefined) await installPackages(["curl"], options.onLine, "walks the specification as a person would");
  if (chromiumAbsent() !== undefined && (await canInstallPackages())) {
    say("installing chromium");
    await installPackages(["chromium"], options.onLine, "opens the console").catch((error: unknown) => say(`no browser: ${String(error)}`));
  }
}
