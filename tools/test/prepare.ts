import { ensureBases } from "../../infra/local/docker/base-images.ts";
import { ensureEngine } from "../../infra/local/docker/engine.ts";
import { canInstallPackages, findProgram, installPackages } from "../../infra/local/foundation/apt.ts";
import { builtImages } from "../../infra/images.ts";
import { settings } from "../../infra/settings/list.ts";
import { chromiumAbsent } from "../../tests/harness/browser.ts";
import { preparedDatabaseImage } from "../../tests/harness/database-image.ts";
import { image } from "../../tests/harness/image.ts";

const say = (text: string): void => console.log(`  ${text}`);
const options = { say, show: say, onLine: () => undefined, signal: new AbortController().signal };

/** Brings a Docker engine, its client and the base images. What is there is left alone. @throws when they cannot be had */
export async function prepareDocker(): Promise<void> {
  await ensureEngine(options);
  await ensureBases({ debianBase: settings.debianBase.default, nodeBase: settings.nodeBase.default }, true, options);
  // Debian 13 packs the client apart from the engine.
  if ((await findProgram("docker")) === undefined) await installPackages(["docker-cli"], options.onLine, "looks into containers");
}

/**
 * Brings what the container suites stand on: a Docker engine, the base images, the kit's images, curl and a browser. What is there is left alone.
 * @throws when an engine, an image or curl cannot be had; without a browser its tests are skipped and say so
 */
export async function prepare(): Promise<void> {
  console.log("\npreparing: Docker, base images, the kit's images, clients");
  await prepareDocker();
  for (const make of [...builtImages().map(({ name }) => () => image(name)), preparedDatabaseImage]) {
    const started = performance.now();
    const reference = await make();
    console.log(`  ${reference} (${((performance.now() - started) / 1000).toFixed(1)} s)`);
  }
  if ((await findProgram("curl")) === undefined) await installPackages(["curl"], options.onLine, "walks the specification as a person would");
  if (chromiumAbsent() !== undefined && (await canInstallPackages())) {
    say("installing chromium");
    await installPackages(["chromium"], options.onLine, "opens the console").catch((error: unknown) => say(`no browser: ${String(error)}`));
  }
}
