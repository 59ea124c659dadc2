import type { Readable } from "node:stream";
import { dockerClient } from "@routeql/host/docker/client";
import { FrameReader } from "@routeql/host/docker/frames";
import type { Command } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { lineSplitter } from "@routeql/host/process";
import { placeOf } from "../kubernetes/place.ts";
import { showClusterLogs } from "../kubernetes/show-logs.ts";
import { requireOwn } from "../stack/ownership.ts";
import { runInterruptibly, stackArgument } from "./options.ts";

interface Service {
  readonly id: string;
  readonly name: string;
}

/** Containers of services, running or stopped; without the ones that only carry files. */
async function servicesOf(stack: string): Promise<Service[]> {
  const containers = await dockerClient().listContainers({
    all: true,
    filters: { label: [`com.routeql.stack=${stack}`, "com.routeql.service"] },
  });
  return containers
    .filter(({ Labels }) => Labels["com.routeql.run"] !== "files")
    .map(({ Id, Labels }) => ({ id: Id, name: Labels["com.routeql.service"] ?? "" }))
    .toSorted((left, right) => (left.name < right.name ? -1 : 1));
}

function select(stack: string, services: readonly Service[], wanted: readonly string[]): readonly Service[] {
  if (services.length === 0)
    throw new Failure(`The stack ${stack} is not up`, { remedy: `run \`npm run up${stackArgument(stack)}\`.` });
  const unknown = wanted.filter((name) => !services.some((service) => service.name === name));
  if (unknown.length > 0)
    throw new Failure(`The stack has no service ${unknown.join(", ")}`, {
      remedy: `choose from ${services.map(({ name }) => name).join(", ")}.`,
    });
  return wanted.length === 0 ? services : services.filter(({ name }) => wanted.includes(name));
}

async function show({ id, name }: Service, width: number, follow: boolean, tail: number, signal: AbortSignal): Promise<void> {
  const options = { stdout: true, stderr: true, timestamps: true, tail, abortSignal: signal };
  const print = lineSplitter((line) => process.stdout.write(`${name.padEnd(width)} | ${line}\n`));
  const frames = new FrameReader((_output, payload) => print.add(payload.toString("utf8")));
  const container = dockerClient().getContainer(id);
  if (!follow) {
    frames.add(await container.logs({ ...options, follow: false }));
  } else {
    const stream = (await container.logs({ ...options, follow: true })) as unknown as Readable;
    for await (const chunk of stream) frames.add(chunk as Buffer);
  }
  print.end();
}

/** Ctrl-C is the normal way to end a log that is followed, so it is not reported as an interruption. */
const silent = (): void => undefined;

export const command: Command = {
  description: {
    name: "logs",
    summary: "Prints the logs of all services, or of the named ones.",
    operands: "[SERVICE…]",
    options: {
      follow: { type: "boolean", short: "f", meaning: "follow: print new lines until Ctrl-C" },
      tail: { type: "string", value: "N", default: "200", meaning: "number of last lines per service" },
    },
  },
  run: (stack, args) =>
    runInterruptibly(async (signal) => {
      const tail = Number(args.text("tail"));
      if (!Number.isInteger(tail) || tail < 0)
        throw new Failure("--tail requires a number of lines", { remedy: "for example --tail 500." });
      const place = await placeOf(stack);
      if (place) {
        await showClusterLogs(place, stack, { services: args.rest, follow: args.flag("follow"), tail, signal });
        return 0;
      }
      await requireOwn(stack);
      const selected = select(stack, await servicesOf(stack), args.rest);
      const width = Math.max(...selected.map(({ name }) => name.length));
      const follow = args.flag("follow");
      if (follow)
        await Promise.all(
          selected.map((service) =>
            show(service, width, true, tail, signal).catch((error: unknown) => signal.aborted || Promise.reject(error as Error)),
          ),
        );
      else for (const service of selected) await show(service, width, false, tail, signal);
      return 0;
    }, silent),
};
