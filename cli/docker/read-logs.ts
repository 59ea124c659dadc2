import type { Readable } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import type Docker from "dockerode";
import { dockerClient } from "@routeql/host/docker/client";
import { FrameReader } from "@routeql/host/docker/output";
import { Failure } from "@routeql/host/failure";
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
    read: (onLine) => readDockerLog(dockerClient().getContainer(id), container, options, onLine, signal),
  }));
}

/** @param name of the container @throws Failure with the daemon's error, as for a deleted file */
export async function readDockerLog(
  container: Pick<Docker.Container, "logs">,
  name: string,
  { follow, tail, since }: Pick<LogOptions, "follow" | "tail" | "since">,
  onLine: (line: string) => void,
  abortSignal: AbortSignal,
): Promise<void> {
  const lines = { 1: lineSplitter(onLine), 2: lineSplitter(onLine) };
  // A payload may end within a character.
  const texts = { 1: new StringDecoder("utf8"), 2: new StringDecoder("utf8") };
  let problem = "";
  const frames = new FrameReader(
    (output, payload) => lines[output].add(texts[output].write(payload)),
    (payload) => (problem += payload.toString("utf8")),
  );
  const options = {
    stdout: true,
    stderr: true,
    timestamps: true,
    abortSignal,
    ...(tail === undefined ? {} : { tail }),
    ...(since === undefined ? {} : { since: since.getTime() / 1000 }),
  };
  if (follow) {
    const stream = (await container.logs({ ...options, follow: true })) as unknown as Readable;
    for await (const chunk of stream) frames.add(chunk as Buffer);
  } else frames.add(await container.logs({ ...options, follow: false }));
  lines[1].end();
  lines[2].end();
  if (problem === "") return;
  throw new Failure(
    `Docker could not read the log of ${name}: ${problem.replace("Error grabbing logs: ", "").trim()}`,
    {
      remedy: problem.includes("no such file")
        ? `its file was deleted on this host. \`docker restart ${name}\` begins a new one; the earlier lines are lost.`
        : "check the disk and the log driver of Docker; its own log names the cause.",
    },
  );
}
