import { PassThrough } from "node:stream";
import { type KubeConfig, Log } from "@kubernetes/client-node";
import { Failure } from "@routeql/host/failure";
import { lineSplitter } from "@routeql/host/process";
import { type LogOptions, type LogReader, selectReaders } from "../logs/logs.ts";
import { connectTo } from "./connect.ts";
import type { Place } from "./place.ts";
import { podsOf } from "./pods.ts";

/** The pods of a stack. @throws Failure when there are none */
export async function readClusterLogs(
  place: Place,
  stack: string,
  options: LogOptions,
  signal: AbortSignal,
): Promise<readonly LogReader[]> {
  const { config, cluster } = await connectTo(place, stack, signal);
  const pods = await podsOf(cluster, place, signal);
  if (pods.length === 0)
    throw new Failure(`No pods of the stack run in the namespace ${place.namespace}`, {
      remedy: "run `npm run up` for it.",
    });
  return selectReaders(
    pods.map(({ name, service, container }) => ({ service, container: name, label: name, within: container })),
    options.services,
  ).map(({ within, ...source }) => ({
    ...source,
    read: (onLine) => read(config, place, source.container, within, options, onLine, signal),
  }));
}

async function read(
  config: KubeConfig,
  { namespace }: Place,
  pod: string,
  container: string,
  { follow, tail, since }: LogOptions,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const stream = new PassThrough();
  const lines = lineSplitter(onLine);
  stream.setEncoding("utf8").on("data", (chunk: string) => lines.add(chunk));
  const ended = new Promise<void>((resolve) => stream.once("close", resolve).once("end", resolve));
  const bounds = {
    ...(tail === undefined ? {} : { tailLines: tail }),
    ...(since === undefined ? {} : { sinceTime: since.toISOString() }),
  };
  const controller = await new Log(config).log(namespace, pod, container, stream, {
    follow,
    timestamps: true,
    ...bounds,
  });
  signal.addEventListener("abort", () => controller.abort(), { once: true });
  await ended;
  lines.end();
}
