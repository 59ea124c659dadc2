import type { Readable } from "node:stream";
import { dockerClient } from "@routeql/host/docker/client";
import { FrameReader } from "@routeql/host/docker/output";
import { notUp } from "../foundation/command.ts";
import { lineSplitter } from "@routeql/host/process";
import { type LogOptions, type LogReader, selectReaders } from "../logs/logs.ts";

/** Containers of services and jobs; those that only carry files log nothing. @throws Failure when there are none */
export async function readDockerLogs(
  stack: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly LogReader[]> {
  const containers = await dockerClient().listContainers({
    all: true,
    filters: { label: [`com.routeql.stack=${stack}`, "com.routeql.service"] },
  });
  const sources = containers
    .filter(({ Labels }) => Labels["com.routeql.run"] !== "files")
    .map(({ Id, Names, Labels }) => ({
      id: Id,
      service: Labels["com.routeql.service"] ?? "",
      container: Names[0]?.slice(1) ?? Id,
    }))
    .toSorted((left, right) => (left.service < right.service ? -1 : 1));
  if (sources.length === 0) throw notUp(stack);
  return selectReaders(sources, options.services).map(({ id, service, container }) => ({
    service,
    container,
    label: service,
    read: (onLine) => read(id, options, onLine, signal),
  }));
}

async function read(
  id: string,
  { follow, tail, since }: LogOptions,
  onLine: (line: string) => void,
  abortSignal: AbortSignal,
): Promise<void> {
  const lines = { 1: lineSplitter(onLine), 2: lineSplitter(onLine) };
  const frames = new FrameReader((output, payload) => lines[output].add(payload.toString("utf8")));
  const options = {
    stdout: true,
    stderr: true,
    timestamps: true,
    abortSignal,
    ...(tail === undefined ? {} : { tail }),
    ...(since === undefined ? {} : { since: since.getTime() / 1000 }),
  };
  const container = dockerClient().getContainer(id);
  if (follow) {
    const stream = (await container.logs({ ...options, follow: true })) as unknown as Readable;
    for await (const chunk of stream) frames.add(chunk as Buffer);
  } else frames.add(await container.logs({ ...options, follow: false }));
  lines[1].end();
  lines[2].end();
}
