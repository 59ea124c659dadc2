import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { dockerClient, orUndefined } from "../docker/client.ts";
import type { StackPaths } from "../foundation/paths.ts";
import { projectName } from "./configuration.ts";

const waitForOrphanMilliseconds = 120_000;

/** The part of a resource in the state (apitype.ResourceV3) that is looked at here. */
export interface StateResource {
  readonly urn: string;
  /** URNs of what it needs. */
  readonly dependencies?: readonly string[];
  readonly type: string;
  readonly id?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Why it is there, but not as it should be. */
  readonly initErrors?: readonly string[];
}

export interface Deployment {
  readonly resources?: readonly StateResource[];
  readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
}

export async function deploymentOf(stack: Stack): Promise<Deployment> {
  return ((await stack.exportStack()).deployment ?? {}) as Deployment;
}

/** Process ids in the locks that the engine keeps beside its state while it works. */
async function lockHolders(paths: StackPaths, stack: string): Promise<number[]> {
  const folder = join(paths.state, ".pulumi/locks/organization", projectName, stack);
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "{}")));
  return texts.map((text) => (JSON.parse(text || "{}") as { pid?: number }).pid ?? 0);
}

async function isPulumi(pid: number): Promise<boolean> {
  return /pulumi/.test(await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => ""));
}

/**
 * Releases the engine's lock that a killed run has left. This run holds the stack's own lock, so whoever holds the engine's is
 * such a run's
 * engine: if it still works, it is given time to write down what it has done.
 */
export async function releaseStaleLock(
  stack: Stack,
  paths: StackPaths,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const end = Date.now() + waitForOrphanMilliseconds;
  for (;;) {
    const holders = await lockHolders(paths, stack.name);
    if (holders.length === 0) return;
    const working = (await Promise.all(holders.map(isPulumi))).some(Boolean);
    if (!working || Date.now() > end) break;
    say("waiting for the engine of an interrupted run to end");
    await sleep(1000, undefined, { signal });
  }
  say("releasing the lock of an interrupted run");
  await stack.cancel();
}

/** The jobs that ended badly: what they do is not done, so the next update has to run them again. */
export function failedJobs({ resources = [] }: Deployment): string[] {
  const failedContainer = ({ type, outputs }: StateResource): boolean =>
    type === "docker:index/container:Container" && typeof outputs?.exitCode === "number" && outputs.exitCode !== 0;
  const failedJob = ({ type, initErrors = [] }: StateResource): boolean => type === "kubernetes:batch/v1:Job" && initErrors.length > 0;
  return resources.filter((resource) => failedContainer(resource) || failedJob(resource)).map(({ urn }) => urn);
}

/**
 * Removes containers and networks that carry the stack's label but are not in its state: an interrupted creation left them.
 * Never volumes.
 */
export async function removeLeftovers(stack: string, deployment: Deployment): Promise<string[]> {
  const docker = dockerClient();
  const known = new Set((deployment.resources ?? []).map(({ id }) => id));
  const filters = { label: [`com.routeql.stack=${stack}`] };
  const removed: string[] = [];
  for (const { Id, Names } of await docker.listContainers({ all: true, filters })) {
    if (known.has(Id)) continue;
    await orUndefined(docker.getContainer(Id).remove({ force: true, v: true }));
    removed.push(Names[0]?.slice(1) ?? Id);
  }
  for (const { Id, Name } of await docker.listNetworks({ filters })) {
    if (known.has(Id)) continue;
    const network = docker.getNetwork(Id);
    const info = (await orUndefined(network.inspect())) as { Containers?: Record<string, unknown> } | undefined;
    for (const container of Object.keys(info?.Containers ?? {}))
      await orUndefined(network.disconnect({ Container: container, Force: true }));
    await orUndefined(network.remove());
    removed.push(Name);
  }
  return removed;
}

/** After an interrupted run: takes away what it left half-made, and lets the engine forget that it was about to make it. Gives what is there then. */
export async function clearInterrupted(
  stack: Stack,
  deployment: Deployment,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Deployment> {
  const pending = deployment.pending_operations?.length ?? 0;
  if (pending === 0) return deployment;
  say(`clearing ${pending} operation${pending === 1 ? "" : "s"} that an interrupted run left half-done`);
  await removeLeftovers(stack.name, deployment);
  await stack.refresh({ clearPendingCreates: true, showSecrets: false, signal });
  return deploymentOf(stack);
}
