import { Readable } from "node:stream";
import { dockerClient, isNotFound, orUndefined } from "@routeql/host/docker/client";
import { lastLogLines } from "@routeql/host/docker/output";
import type Docker from "dockerode";
import { pack } from "tar-stream";
import { containerBody, endpoints } from "./inputs.ts";
import { type ContainerInputs, containerInputs } from "./inputs.ts";
import { removeContainer, waitForExit, waitUntilHealthy } from "./lifecycle.ts";
import { makeRoom, removePredecessor, resumePredecessor, stay } from "./succession.ts";
import { assertOurs } from "@routeql/host/ownership";
import { labelsOf } from "../labels.ts";
import type { Context, ResourceKind } from "../../shared/provider.ts";
import { canonical, isUnknown, type Properties } from "../../shared/values.ts";

const docker = dockerClient();
const logLinesKept = 1000;

/** Removes a container with this name if an interrupted run of this stack created it; any other container is an error. */
async function clearLeftover(inputs: ContainerInputs): Promise<void> {
  const left = await orUndefined(docker.getContainer(inputs.name).inspect());
  if (!left) return;
  assertOurs("container", inputs.name, labelsOf(inputs.labels), left.Config.Labels);
  await removeContainer(left.Id, inputs);
}

async function createWithImage(inputs: ContainerInputs): Promise<Docker.Container> {
  const body = { name: inputs.name, ...containerBody(inputs) };
  try {
    return await docker.createContainer(body);
  } catch (error) {
    if (!isNotFound(error) || !String(error).includes("No such image")) throw error;
    throw new Error(
      `the image ${inputs.image} of container ${inputs.name} is not on this machine; pull or build it first`,
      { cause: error },
    );
  }
}

/** As the official provider does, whose refresh would otherwise find another network mode: out of `bridge` first. */
async function joinNetworks(id: string, inputs: ContainerInputs): Promise<void> {
  const joined = endpoints(inputs);
  if (joined.length > 0 && inputs.networkMode === undefined)
    await orUndefined(docker.getNetwork("bridge").disconnect({ Container: id }));
  for (const { name, config } of joined)
    await docker.getNetwork(name).connect({ Container: id, EndpointConfig: config });
}

async function startAndWait(
  container: Docker.Container,
  inputs: ContainerInputs,
  signal: AbortSignal,
): Promise<Properties> {
  if (inputs.start === false) return {};
  try {
    await container.start();
  } catch (error) {
    throw startError(inputs, error);
  }
  if (inputs.attach) {
    const exitCode = await waitForExit(container, signal);
    return {
      exitCode,
      ...(inputs.logs ? { containerLogs: (await lastLogLines(container, logLinesKept)).join("\n") } : {}),
    };
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

/** Settings that the daemon changes in an existing container. */
function adjustable(inputs: ContainerInputs): object {
  const { RestartPolicy, Memory, MemorySwap } = containerBody(inputs).HostConfig ?? {};
  return { RestartPolicy, Memory, MemorySwap };
}

/** Whether a container keeps the network that its creation names. The daemon makes the input unknown while it replaces a network. */
function sameFirstNetwork(olds: ContainerInputs, news: ContainerInputs): boolean {
  if (isUnknown(news.networksAdvanced)) return false;
  const [before, after] = [endpoints(olds), endpoints(news)];
  return before.length > 0 && before[0]?.name === after[0]?.name && !after.some(({ name }) => isUnknown(name));
}

type Endpoints = ReturnType<typeof endpoints>;

/** Connects a container to networks and disconnects it from others while it runs. */
async function moveBetweenNetworks(id: string, before: Endpoints, after: Endpoints): Promise<void> {
  const without = (all: Endpoints, others: Endpoints): Endpoints =>
    all.filter((endpoint) => !others.some((other) => canonical(other) === canonical(endpoint)));
  for (const { name } of without(before, after))
    await orUndefined(docker.getNetwork(name).disconnect({ Container: id, Force: true }));
  for (const { name, config } of without(after, before))
    await docker.getNetwork(name).connect({ Container: id, EndpointConfig: config });
}

/** Container of the docker provider. A failed creation leaves it stopped, for its log; the next one of its name removes it. */
export const container: ResourceKind<ContainerInputs> = {
  inputs: containerInputs,
  schemaVersion: 2,
  defaults: {
    start: true,
    mustRun: true,
    wait: false,
    waitTimeout: 60,
    attach: false,
    logs: false,
    rm: false,
    readOnly: false,
    tty: false,
    stdinOpen: false,
    removeVolumes: true,
    restart: "no",
    networkMode: "bridge",
    memoryReservation: 0,
    containerReadRefreshTimeoutMilliseconds: 15_000,
    command: [],
    entrypoints: [],
    envs: [],
    labels: [],
    securityOpts: [],
    networkDatas: [],
  },
  innerDefaults: {
    ports: { ip: "0.0.0.0", protocol: "tcp" },
    healthcheck: { interval: "0s", timeout: "0s", startPeriod: "0s", startInterval: "0s", retries: 0 },
  },
  updatable: ["restart", "memory", "memorySwap", "destroyGraceSeconds", "wait", "waitTimeout"],
  adaptable: (olds, news) => (sameFirstNetwork(olds, news) ? ["networksAdvanced"] : []),
  deleteBeforeReplace: (olds, news) => olds.name === news.name,

  async create(inputs, { signal }) {
    await clearLeftover(inputs);
    const created = await createWithImage(inputs);
    try {
      await putUploads(created, inputs.uploads ?? []);
      await joinNetworks(created.id, inputs);
      await makeRoom(inputs, signal);
      const outputs = await startAndWait(created, inputs, signal);
      await removePredecessor(inputs, signal);
      return { id: created.id, outputs };
    } catch (error) {
      await created.stop({ t: 0 }).catch(() => undefined);
      await resumePredecessor(inputs).catch(() => undefined);
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

  async update(id, olds, inputs, { signal }: Context) {
    const target = docker.getContainer(id);
    await moveBetweenNetworks(id, endpoints(olds), endpoints(inputs));
    const wanted = adjustable(inputs);
    // A repair changes no limit, and a daemon without control groups rejects every update of limits.
    if (canonical(wanted) !== canonical(adjustable(olds))) await target.update(wanted);
    const info = await target.inspect();
    if (runningDrift(inputs, info).length === 0) return {};
    if (info.State.Paused) await target.unpause();
    else if (info.State.Running) await target.restart({ t: inputs.destroyGraceSeconds ?? 10 });
    else return startAndWait(target, inputs, signal);
    if (inputs.wait) await waitUntilHealthy(target, inputs, signal);
    return {};
  },

  async delete(id, state, { replacedFor }) {
    if (!(await stay(id, state, replacedFor))) await removeContainer(id, state);
  },
};

type Inspection = Docker.ContainerInspectInfo;

/** The daemon adds entries to lists (an image's variables, default labels), so the actual list must contain the requested one. */
function contains(is: unknown, should: unknown): boolean {
  if (Array.isArray(should))
    return Array.isArray(is) && should.every((entry) => is.some((other) => canonical(other) === canonical(entry)));
  if (typeof should === "object" && should !== null) {
    if (typeof is !== "object" || is === null) return Object.keys(should).length === 0;
    return Object.entries(should).every(([key, value]) => contains((is as Record<string, unknown>)[key], value));
  }
  return canonical(is ?? null) === canonical(should ?? null);
}

/** Changed settings, by their names in the daemon's inspection. */
export function settingsDrift(inputs: ContainerInputs, info: Inspection): string[] {
  const { HostConfig, ...config } = containerBody(inputs);
  // If the kernel does not account for swap, the daemon reports a different limit than the requested one. Earlier versions created a container
  // in its first network instead of `bridge`.
  const { MemorySwap: _swap, NetworkMode: mode, ...others } = HostConfig ?? {};
  const host = inputs.networksAdvanced === undefined ? { ...others, NetworkMode: mode } : others;
  const differing = (path: string, should: object, is: object): string[] =>
    Object.entries(should)
      .filter(([key, value]) => !contains((is as Record<string, unknown>)[key], value))
      .map(([key]) => `${path}.${key}`);
  const missing = endpoints(inputs)
    .filter(({ name }) => info.NetworkSettings.Networks[name] === undefined)
    .map(({ name }) => `NetworkSettings.Networks.${name}`);
  return [...differing("Config", config, info.Config), ...differing("HostConfig", host, info.HostConfig), ...missing];
}

/** Problem of a container that should run; undefined if there is none or if it need not run. */
export function runningDrift(inputs: ContainerInputs, info: Inspection): string[] {
  if (inputs.start === false || inputs.mustRun === false) return [];
  const { Running: running, Paused: paused, Status: status, Health: health } = info.State;
  if (!running) return [`the container is ${status}`];
  if (paused) return ["the container is paused"];
  if (inputs.wait && health?.Status === "unhealthy") return ["the container is unhealthy"];
  return [];
}

/** Copies files into an existing container. They belong to root; the daemon creates missing folders. */
async function putUploads(
  container: Docker.Container,
  uploads: NonNullable<ContainerInputs["uploads"]>,
): Promise<void> {
  if (uploads.length === 0) return;
  const archive = pack();
  const modifiedAt = new Date(0);
  for (const upload of uploads) {
    const content =
      upload.contentBase64 === undefined
        ? Buffer.from(upload.content ?? "")
        : Buffer.from(upload.contentBase64, "base64");
    archive.entry(
      {
        name: upload.file.replace(/^\/+/, ""),
        mode: Number.parseInt(upload.permissions ?? "644", 8),
        mtime: modifiedAt,
      },
      content,
    );
  }
  archive.finalize();
  await container.putArchive(Readable.from(archive), { path: "/" });
}
