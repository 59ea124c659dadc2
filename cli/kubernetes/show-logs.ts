import { PassThrough } from "node:stream";
import { Log } from "@kubernetes/client-node";
import { Failure } from "@routeql/host/failure";
import { lineSplitter } from "@routeql/host/process";
import { connectTo } from "./connect.ts";
import type { Place } from "./place.ts";
import { type Pod, podsOf } from "./pods.ts";

export interface LogOptions {
  readonly services: readonly string[];
  readonly follow: boolean;
  readonly tail: number;
  readonly signal: AbortSignal;
}

function select(pods: readonly Pod[], wanted: readonly string[], { namespace }: Place): readonly Pod[] {
  if (pods.length === 0) throw new Failure(`No pods of the stack run in the namespace ${namespace}`, { remedy: "run `npm run up` for it." });
  const services = [...new Set(pods.map(({ service }) => service))];
  const unknown = wanted.filter((name) => !services.includes(name));
  if (unknown.length > 0)
    throw new Failure(`The stack has no service ${unknown.join(", ")}`, { remedy: `choose from ${services.join(", ")}.` });
  return wanted.length === 0 ? pods : pods.filter(({ service }) => wanted.includes(service));
}

/** Prints the logs of a stack's pods, each line with its pod's name. */
export async function showClusterLogs(place: Place, stack: string, { services, follow, tail, signal }: LogOptions): Promise<void> {
  const { config, cluster } = await connectTo(place, stack, signal);
  const pods = select(await podsOf(cluster, place, signal), services, place);
  const width = Math.max(...pods.map(({ name }) => name.length));
  const show = async ({ name, container }: Pod): Promise<void> => {
    const stream = new PassThrough();
    const lines = lineSplitter((line) => process.stdout.write(`${name.padEnd(width)} | ${line}\n`));
    stream.setEncoding("utf8").on("data", (chunk: string) => lines.add(chunk));
    const ended = new Promise<void>((resolve) => stream.once("close", resolve).once("end", resolve));
    const controller = await new Log(config).log(place.namespace, name, container, stream, { follow, tailLines: tail, timestamps: true });
    signal.addEventListener("abort", () => controller.abort(), { once: true });
    await ended;
    lines.end();
  };
  if (follow) await Promise.all(pods.map((pod) => show(pod).catch((error: unknown) => signal.aborted || Promise.reject(error as Error))));
  else for (const pod of pods) await show(pod);
}
