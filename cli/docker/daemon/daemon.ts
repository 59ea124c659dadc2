import { within } from "@routeql/contract/within";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "@routeql/host/work";
import { Failure } from "@routeql/host/failure";
import { offline } from "../../offline.ts";
import { dockerClient, daemonProblem } from "@routeql/host/docker/client";
import { type DaemonAddress, daemonAddress, standardOrigin } from "@routeql/host/docker/daemon-address";

const answerMilliseconds = 5_000;

interface DaemonVersion {
  readonly Version: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
}

/** @throws Failure for Podman, whose API differs where a stack needs it */
export function refusePodman({ Components = [] }: DaemonVersion, { endpoint, origin }: DaemonAddress): void {
  const podman = Components.find(({ Name }) => Name.startsWith("Podman"));
  if (podman === undefined) return;
  throw new Failure(`The daemon at ${endpoint} (${origin}) is Podman ${podman.Version}, which is not supported`, {
    remedy:
      "use a Docker daemon (rootless Docker needs no root either) and name it in DOCKER_HOST or a Docker context. " +
      "Podman refuses the owner of memory file systems (tmpfs uid=) and uploads into a container that does not run.",
  });
}

/** Version of the daemon that answers, or the reason why none answers. */
async function ask(address: DaemonAddress): Promise<{ version: string } | { error: unknown }> {
  try {
    const version = await within(answerMilliseconds, dockerClient().version() as Promise<DaemonVersion>);
    refusePodman(version, address);
    return { version: version.Version };
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { error };
  }
}

const mayBeAbsent = (error: unknown): boolean =>
  ["ENOENT", "ECONNREFUSED"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Ensures that a Docker daemon answers; offline/ installs and starts one on this machine if possible. */
export async function ensureDaemon(options: Omit<Work, "show">): Promise<string> {
  const address = daemonAddress();
  const first = await ask(address);
  if ("version" in first) return `${first.version} at ${address.endpoint} (${address.origin})`;
  if (address.origin !== standardOrigin || !mayBeAbsent(first.error)) throw daemonProblem(first.error, address);
  const replacements = await offline();
  if (!replacements) throw daemonProblem(first.error, address);
  await replacements.startDockerDaemon(answersWithin, options);
  const now = await ask(address);
  if ("version" in now) return now.version;
  throw daemonProblem(now.error, address);
}

async function answersWithin(milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  for (;;) {
    if ("version" in (await ask(daemonAddress()))) return true;
    if (Date.now() >= end) return false;
    await sleep(200);
  }
}
