import { ensureBases } from "@routeql/cli/docker/daemon/base-images";
import { ensureDaemon } from "@routeql/cli/docker/daemon/daemon";
import { acquireCli } from "@routeql/cli/pulumi/acquire";
import { canInstallPackages, findProgram, installPackages } from "@routeql/host/apt";
import { Failure, messageOf } from "@routeql/host/failure";
import { builtImages } from "@routeql/infra/images";
import { settings } from "@routeql/infra/settings/list";
import { kubernetesBinaries } from "../kubernetes-node/binaries.ts";
import { chromiumAbsent } from "../harness/browser.ts";
import { migratedDatabaseImage } from "../harness/containers/database-container.ts";
import { image } from "../harness/containers/image.ts";
import { inLanes } from "./lanes.ts";

const say = (text: string): void => console.log(`  ${text}`);
const options = { say, show: say, onLine: () => undefined, signal: new AbortController().signal };

/**
 * Installs a Docker daemon, its client and the base images, if they are missing.
 * @throws if they cannot be installed
 */
export async function prepareDocker(): Promise<void> {
  await ensureDaemon(options);
  await ensureBases({ debianBase: settings.debianBase.default, nodeBase: settings.nodeBase.default }, true, options);
  // Debian 13 has a separate package for the client.
  if ((await findProgram("docker")) === undefined)
    await installPackages(["docker-cli"], options.onLine, "looks into containers");
}

/**
 * Builds the programs of the Kubernetes node at low priority beside the suites before it. A failure is left to the suite, which builds
 * them again and reports it.
 */
export function buildKubernetesEarly(signal: AbortSignal): void {
  void kubernetesBinaries({ ...options, signal }).catch(() => undefined);
}

/** Reason why the suites with containers cannot run. */
export interface Obstacle {
  readonly reason: string;
  /** Whether the machine lacks a Docker daemon or the rights to use one; otherwise the preparation itself failed. */
  readonly machine: boolean;
}

/**
 * Prepares the container suites: installs a Docker daemon, the base images, the kit's images, curl, a browser and, for suites with a
 * stack, the Pulumi CLI, if they are missing. Without a browser its tests are skipped with the reason.
 */
export async function prepare({ withStack }: { readonly withStack: boolean }): Promise<Obstacle | undefined> {
  const started = performance.now();
  console.log("\npreparing: Docker, base images, the kit's images, clients");
  try {
    await prepareDocker();
  } catch (error) {
    return { reason: inOneLine(error), machine: error instanceof Failure };
  }
  try {
    // Side by side, because one downloads while the other compiles.
    await Promise.all([prepareImages(), installTools(withStack)]);
  } catch (error) {
    return { reason: inOneLine(error), machine: false };
  }
  say(`prepared in ${secondsSince(started)} s`);
  return undefined;
}

/** The failure, its last line and the remedy. */
function inOneLine(error: unknown): string {
  if (!(error instanceof Failure)) return messageOf(error);
  const [last] = error.lastLines.slice(-1);
  return [
    `${error.message}${last === undefined ? "" : ` (${last.trim()})`}.`,
    ...(error.remedy === undefined ? [] : [`To run it, ${error.remedy}`]),
  ].join(" ");
}

const secondsSince = (started: number): string => ((performance.now() - started) / 1000).toFixed(1);

async function prepareImages(): Promise<void> {
  const makers = [
    ...builtImages().map(
      ({ name }) =>
        () =>
          image(name),
    ),
    migratedDatabaseImage,
  ];
  const works = makers.map((make) => ({ make, alone: false }));
  await inLanes(works, 2, async ({ make }) => {
    const started = performance.now();
    say(`${await make()} (${secondsSince(started)} s)`);
  });
}

async function installTools(withStack: boolean): Promise<void> {
  if ((await findProgram("git")) === undefined)
    await installPackages(["git"], options.onLine, "copies the checkout for tests that change it");
  if ((await findProgram("curl")) === undefined)
    await installPackages(["curl"], options.onLine, "runs the sample of the clients' page");
  if (chromiumAbsent() !== undefined && (await canInstallPackages())) {
    say("installing chromium");
    await installPackages(["chromium"], options.onLine, "opens the console").catch((error: unknown) =>
      say(`no browser: ${String(error)}`),
    );
  }
  if (withStack) await acquireCli(options);
}
