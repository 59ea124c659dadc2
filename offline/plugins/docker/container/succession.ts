/** A replaced container serves under another name until its successor is healthy; callers find both by the same alias. */
import { setTimeout as sleep } from "node:timers/promises";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import type { ContainerInputs } from "./inputs.ts";
import { removeContainer, stopContainer } from "./lifecycle.ts";

const docker = dockerClient();
const formerName = (name: string): string => `${name}-former`;

/** Time in which callers notice a new address of a service: the gateway looks each second, and then reloads. */
const noticeMilliseconds = 3_000;

/** Seconds for the requests of a container whose successor waits for its ports. */
const handoverSeconds = 1;

/** Only one container at a time may write to a volume. */
const mayStay = ({ wait, volumes = [] }: ContainerInputs): boolean =>
  wait === true && volumes.every(({ readOnly }) => readOnly === true);

/** Keeps a container under another name if its replacement comes next. @param replacedFor changed inputs; undefined for a removal */
export async function stay(
  id: string,
  inputs: ContainerInputs,
  replacedFor: readonly string[] | undefined,
): Promise<boolean> {
  if (replacedFor === undefined || replacedFor.includes("__drift") || !mayStay(inputs)) return false;
  const container = docker.getContainer(id);
  const info = await orUndefined(container.inspect());
  if (info?.State.Running !== true || info.State.Restarting) return false;
  // The update before failed, and it still serves.
  if (info.Name === `/${formerName(inputs.name)}`) return true;
  await removePredecessor(inputs);
  await container.rename({ name: formerName(inputs.name) });
  return true;
}

/**
 * Frees the published ports of a new container just before its start. The old container is stopped; its removal would prolong the interruption.
 * First it gets time to notice that services behind it, replaced just before, have lost their old addresses: a request to one would delay the stop.
 */
export async function makeRoom(inputs: ContainerInputs, signal: AbortSignal): Promise<void> {
  if ((inputs.ports ?? []).length === 0) return;
  const former = formerName(inputs.name);
  if ((await orUndefined(docker.getContainer(former).inspect()))?.State.Running !== true) return;
  await sleep(noticeMilliseconds, undefined, { signal });
  await stopContainer(former, handoverSeconds);
}

/** Removes the container that stayed, if any. @param signal of an update with a healthy successor, which callers get time to notice */
export async function removePredecessor(inputs: ContainerInputs, signal?: AbortSignal): Promise<void> {
  const name = formerName(inputs.name);
  const info = await orUndefined(docker.getContainer(name).inspect());
  if (info === undefined) return;
  if (signal !== undefined && info.State.Running) await sleep(noticeMilliseconds, undefined, { signal });
  await removeContainer(name, inputs);
}

/** Lets the container serve again that stayed, after its successor has failed and freed the ports. */
export async function resumePredecessor(inputs: ContainerInputs): Promise<void> {
  const former = docker.getContainer(formerName(inputs.name));
  if ((await orUndefined(former.inspect()))?.State.Running === false) await former.start();
}
