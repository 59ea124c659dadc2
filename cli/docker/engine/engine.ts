import { within } from "@routeql/contract/within";
import { setTimeout as sleep } from "node:timers/promises";
import type { Work } from "@routeql/host/work";
import { Failure } from "@routeql/host/failure";
import { offline } from "../../offline.ts";
import { dockerClient, engineProblem } from "@routeql/host/docker/client";
import { type EngineAddress, engineAddress, standardOrigin } from "@routeql/host/docker/engine-address";

const answerMilliseconds = 5_000;

interface EngineVersion {
  readonly Version: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
}

/** @throws Failure for Podman, whose API differs where a stack needs it */
export function refusePodman({ Components = [] }: EngineVersion, { endpoint, origin }: EngineAddress): void {
  const podman = Components.find(({ Name }) => Name.startsWith("Podman"));
  if (podman === undefined) return;
  throw new Failure(`The engine at ${endpoint} (${origin}) is Podman ${podman.Version}, which is not supported`, {
    remedy:
      "use a Docker engine (rootless Docker needs no root either) and name it in DOCKER_HOST or a Docker context. " +
      "Podman refuses the owner of memory file systems (tmpfs uid=) and uploads into a container that does not run.",
  });
}

/** Version of the engine that answers, or the reason why none answers. */
async function ask(address: EngineAddress): Promise<{ version: string } | { error: unknown }> {
  try {
    const version = await within(answerMilliseconds, dockerClient().version() as Promise<EngineVersion>);
    refusePodman(version, address);
    return { version: version.Version };
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { error };
  }
}

const mayBeAbsent = (error: unknown): boolean =>
  ["ENOENT", "ECONNREFUSED"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Ensures that a Docker engine answers; offline/ installs and starts one on this machine if possible. */
export async function ensureEngine(options: Omit<Work, "show">): Promise<string> {
  const address = engineAddress();
  const first = await ask(address);
  if ("version" in first) return `${first.version} at ${address.endpoint} (${address.origin})`;
  if (address.origin !== standardOrigin || !mayBeAbsent(first.error)) throw engineProblem(first.error, address);
  const replacements = await offline();
  if (!replacements) throw engineProblem(first.error, address);
  await replacements.startDockerEngine(answersWithin, options);
  const now = await ask(address);
  if ("version" in now) return now.version;
  throw engineProblem(now.error, address);
}

async function answersWithin(milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  for (;;) {
    if ("version" in (await ask(engineAddress()))) return true;
    if (Date.now() >= end) return false;
    await sleep(200);
  }
}
