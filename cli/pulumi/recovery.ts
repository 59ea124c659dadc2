import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Stack } from "@pulumi/pulumi/automation/index.js";
import { dockerClient, isConflict, orUndefined } from "@routeql/host/docker/client";
import { stackObjects } from "@routeql/host/docker/stack-objects";
import { Failure } from "@routeql/host/failure";
import { isOf, stateLabel } from "@routeql/host/ownership";
import { projectName, type StackPaths } from "@routeql/host/paths";
import { commandLineOf } from "@routeql/host/process-facts";
import { stackArgument } from "../foundation/command.ts";
import { resourceNames } from "@routeql/infra/resource-names";

/** The fields of a resource in the state (apitype.ResourceV3) that this code reads. */
export interface StateResource {
  readonly urn: string;
  /** URNs of its dependencies. */
  readonly dependencies?: readonly string[];
  readonly type: string;
  readonly id?: string;
  readonly outputs?: Readonly<Record<string, unknown>>;
  /** Why it exists but is not healthy. */
  readonly initErrors?: readonly string[];
}

export interface Deployment {
  readonly resources?: readonly StateResource[];
  readonly pending_operations?: readonly { readonly resource: StateResource; readonly type: string }[];
}

interface Checkpoint {
  readonly checkpoint?: { readonly latest?: Deployment | null };
}

/** The state in this checkout, read from its file: without the Pulumi CLI, and with encrypted secrets. @throws Failure for a damaged file */
export async function storedDeployment({ state }: StackPaths, stack: string): Promise<Deployment> {
  const file = join(state, ".pulumi/stacks", projectName, `${stack}.json`);
  const text = await readFile(file, "utf8").catch(() => "{}");
  try {
    return (JSON.parse(text) as Checkpoint).checkpoint?.latest ?? {};
  } catch (error) {
    throw new Failure(`The state of the stack ${stack} is damaged: ${file} is not JSON`, {
      remedy: `Pulumi kept the state before the last change: cp '${file}.bak' '${file}', then npm run up${stackArgument(stack)}. Older ones are in ${join(state, ".pulumi/backups", projectName, stack)}.`,
      cause: error,
    });
  }
}

/** Outputs of the last successful update, read like {@link storedDeployment}; empty for a new stack. */
export async function storedOutputs(paths: StackPaths, stack: string): Promise<Readonly<Record<string, unknown>>> {
  const { resources = [] } = await storedDeployment(paths, stack);
  return resources.find(({ type }) => type === "pulumi:pulumi:Stack")?.outputs ?? {};
}

const waitForOrphanMilliseconds = 120_000;

/** Process ids in the locks that Pulumi keeps beside its state while it works. */
async function lockHolders(paths: StackPaths, stack: string): Promise<number[]> {
  const folder = join(paths.state, ".pulumi/locks/organization", projectName, stack);
  const names = await readdir(folder).catch(() => []);
  const texts = await Promise.all(names.map((name) => readFile(join(folder, name), "utf8").catch(() => "{}")));
  return texts.map((text) => (JSON.parse(text || "{}") as { pid?: number }).pid ?? 0);
}

async function isPulumi(pid: number): Promise<boolean> {
  return /pulumi/.test(await commandLineOf(pid));
}

/** Releases the Pulumi lock of a killed run, after giving its process time: this run holds the stack's own lock. */
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
    say("waiting for Pulumi of an interrupted run to end");
    await sleep(1000, undefined, { signal });
  }
  say("releasing the lock of an interrupted run");
  await stack.cancel();
}

/** Failed jobs: the next update must run them again. */
export function failedJobs({ resources = [] }: Deployment): string[] {
  const failedContainer = ({ type, outputs }: StateResource): boolean =>
    type === "docker:index/container:Container" && typeof outputs?.exitCode === "number" && outputs.exitCode !== 0;
  const failedJob = ({ type, initErrors = [] }: StateResource): boolean =>
    type === "kubernetes:batch/v1:Job" && initErrors.length > 0;
  return resources.filter((resource) => failedContainer(resource) || failedJob(resource)).map(({ urn }) => urn);
}

/** The job that creates the database's roles: an update that replaces it repairs them. */
export const migrateJobs = ({ resources = [] }: Deployment): string[] =>
  resources
    .filter(
      ({ type, urn }) => /:(Container|Job)$/.test(type) && urn.endsWith(`::${resourceNames(projectName)("migrate")}`),
    )
    .map(({ urn }) => urn);

/** Certificates that a wrong clock dated ahead, which no client accepts: an update that replaces them repairs the endpoint. @param now milliseconds */
export const futureCertificates = ({ resources = [] }: Deployment, now: number): string[] =>
  resources
    .filter(
      ({ type, outputs }) =>
        /^tls:index\/(selfSignedCert|locallySignedCert):/.test(type) &&
        Date.parse(String(outputs?.["validityStartTime"])) > now,
    )
    .map(({ urn }) => urn);

/** Removes containers and networks of an interrupted creation, which the state lacks. @param owner their state; undefined for any */
export async function removeLeftovers(stack: string, deployment: Deployment, owner?: string): Promise<string[]> {
  const docker = dockerClient();
  const known = new Set((deployment.resources ?? []).map(({ id }) => id));
  const left = (await stackObjects(stack)).filter(
    ({ id, labels }) => !known.has(id) && isOf(owner, labels[stateLabel]),
  );
  for (const { id } of left.filter(({ kind }) => kind === "container"))
    await orUndefined(docker.getContainer(id).remove({ force: true, v: true }));
  for (const { id } of left.filter(({ kind }) => kind === "network")) {
    const network = docker.getNetwork(id);
    const info = (await orUndefined(network.inspect())) as { Containers?: Record<string, unknown> } | undefined;
    for (const container of Object.keys(info?.Containers ?? {}))
      await orUndefined(network.disconnect({ Container: container, Force: true }));
    await orUndefined(network.remove());
  }
  return left.filter(({ kind }) => kind !== "volume").map(({ name }) => name);
}

/** Deletes volumes with files whose creation the state lost: their names are drawn, so no later update finds them. A used volume stays. */
export async function removeLostVolumes(stack: string, deployment: Deployment, owner?: string): Promise<string[]> {
  const known = new Set((deployment.resources ?? []).map(({ id }) => id));
  const lost = (await stackObjects(stack)).filter(
    ({ kind, id, labels }) =>
      kind === "volume" && labels["com.routeql.run"] === "files" && !known.has(id) && isOf(owner, labels[stateLabel]),
  );
  const removed: string[] = [];
  for (const { name } of lost) {
    try {
      await orUndefined(dockerClient().getVolume(name).remove());
      removed.push(name);
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  return removed;
}

/**
 * After an interrupted run: deletes partially created objects and clears pending operations from the state. Returns the resulting deployment.
 * @param remove deletes objects that the state lacks
 */
export async function clearInterrupted(
  stack: Stack,
  paths: StackPaths,
  remove: (deployment: Deployment) => Promise<unknown>,
  say: (text: string) => void,
  signal: AbortSignal,
): Promise<Deployment> {
  const deployment = await storedDeployment(paths, stack.name);
  const pending = deployment.pending_operations?.length ?? 0;
  if (pending === 0) return deployment;
  say(`clearing ${pending} operation${pending === 1 ? "" : "s"} of an interrupted run`);
  await remove(deployment);
  await stack.refresh({ clearPendingCreates: true, showSecrets: false, signal });
  return storedDeployment(paths, stack.name);
}
