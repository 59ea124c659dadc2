import type Docker from "dockerode";
import { dockerClient, isNotFound, orUndefined } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/logs";
import type { Context, ResourceKind } from "../../shared/resource-kind.ts";
import type { Properties } from "../../shared/values.ts";
import { assertOurs, labelsInput } from "../ownership.ts";
import { containerBody, endpoints } from "./body.ts";
import { runningDrift, settingsDrift } from "./drift.ts";
import { type ContainerInputs, containerInputs } from "./inputs.ts";
import { removeContainer } from "./remove.ts";
import { waitForExit, waitUntilHealthy } from "./running.ts";
import { putUploads } from "./uploads.ts";

const docker = dockerClient();
const logLinesKept = 1000;

/** A container of this name that an interrupted run of this stack left is removed; any other is in the way. */
async function clearLeftover(inputs: ContainerInputs): Promise<void> {
  const left = await orUndefined(docker.getContainer(inputs.name).inspect());
  if (!left) return;
  assertOurs("container", inputs.name, labelsInput(inputs.labels), left.Config.Labels);
  await removeContainer(left.Id, inputs);
}

async function createWithImage(inputs: ContainerInputs): Promise<Docker.Container> {
  const body = { name: inputs.name, ...containerBody(inputs) };
  try {
    return await docker.createContainer(body);
  } catch (error) {
    if (!isNotFound(error) || !String(error).includes("No such image")) throw error;
    throw new Error(`the image ${inputs.image} of container ${inputs.name} is not on this machine; pull or build it first`, {
      cause: error,
    });
  }
}

/** Starts a container that exists and waits for what the inputs ask to be waited for. */
async function startAndWait(container: Docker.Container, inputs: ContainerInputs, signal: AbortSignal): Promise<Properties> {
  if (inputs.start === false) return {};
  try {
    await container.start();
  } catch (error) {
    throw startError(inputs, error);
  }
  if (inputs.attach) {
    const exitCode = await waitForExit(container, signal);
    return { exitCode, ...(inputs.logs ? { containerLogs: (await lastLogLines(container, logLinesKept)).join("\n") } : {}) };
  }
  if (inputs.wait) await waitUntilHealthy(container, inputs, signal);
  return {};
}

function startError(inputs: ContainerInputs, error: unknown): Error {
  const text = String(error);
  if (!/port is already allocated|address already in use/.test(text)) return error as Error;
  const ports = inputs.ports?.map(({ ip, external }) => `${ip ?? "0.0.0.0"}:${external}`).join(", ");
  return new Error(
    `container ${inputs.name} cannot have its ports (${ports}): one of them is in use by another program; ${text}`,
    { cause: error },
  );
}

/**
 * Container of the docker provider. A failed or cancelled creation leaves the container stopped, for its log; the next creation
 * of the same name removes it.
 */
export const container: ResourceKind<ContainerInputs> = {
  inputs: containerInputs,
  updatable: [
    "restart",
    "maxRetryCount",
    "memory",
    "memorySwap",
    "cpuShares",
    "destroyGraceSeconds",
    "wait",
    "waitTimeout",
    "removeVolumes",
  ],
  deleteBeforeReplace: (olds, news) => olds.name === news.name,

  async create(inputs, { signal }) {
    await clearLeftover(inputs);
    const created = await createWithImage(inputs);
    try {
      await putUploads(created, inputs.uploads ?? []);
      for (const { name, config } of endpoints(inputs).slice(1)) {
        await docker.getNetwork(name).connect({ Container: created.id, EndpointConfig: config });
      }
      return { id: created.id, outputs: await startAndWait(created, inputs, signal) };
    } catch (error) {
      await created.stop({ t: 0 }).catch(() => undefined);
      throw error;
    }
  },

  async read(id, state) {
    const info = await orUndefined(docker.getContainer(id).inspect());
    if (!info) return undefined;
    const settings = settingsDrift(state, info);
    if (settings.length > 0) return { drift: settings, repair: "replace" };
    return { drift: runningDrift(state, info), repair: "update" };
  },

  async update(id, _olds, inputs, { signal }: Context) {
    const target = docker.getContainer(id);
    const { HostConfig: host } = containerBody(inputs);
    await target.update({
      RestartPolicy: host?.RestartPolicy,
      Memory: host?.Memory,
      MemorySwap: host?.MemorySwap,
      CpuShares: host?.CpuShares,
    });
    const info = await target.inspect();
    if (runningDrift(inputs, info).length === 0) return {};
    if (info.State.Paused) await target.unpause();
    else if (info.State.Running) await target.restart({ t: inputs.destroyGraceSeconds ?? 10 });
    else return startAndWait(target, inputs, signal);
    if (inputs.wait) await waitUntilHealthy(target, inputs, signal);
    return {};
  },

  delete: (id, state) => removeContainer(id, state),
};
