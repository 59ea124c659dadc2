import { PassThrough, type Readable, type Writable } from "node:stream";
import { Exec, type V1Status } from "@kubernetes/client-node";
import type { KubeConfig } from "@kubernetes/client-node";
import { connectionFailure } from "./connection-error.ts";
import type { Place } from "./place.ts";
import type { Pod } from "./pods.ts";

export interface Streams {
  readonly input: Readable | undefined;
  readonly output: Writable;
  /** None with a terminal, which has one output. */
  readonly errors: Writable | undefined;
  readonly terminal?: boolean;
}

/** The exit code in the status that ends an execution (API conventions: NonZeroExitCode with the cause ExitCode). */
export function exitCodeOf({ status, details }: V1Status): number {
  if (status === "Success") return 0;
  const code = details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  return code === undefined ? 1 : Number(code);
}

/** Runs a program in a pod's container and gives its exit code. */
export async function executeInPod(
  config: KubeConfig,
  { namespace }: Place,
  { name, container }: Pod,
  program: readonly string[],
  { input, output, errors, terminal = false }: Streams,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const ended = (status: V1Status): void => resolve(exitCodeOf(status));
  const socket = await new Exec(config)
    .exec(namespace, name, container, [...program], output, errors ?? null, input ?? null, terminal, ended)
    .catch((error: unknown) => {
      throw connectionFailure(name, error);
    });
  socket.addEventListener("error", ({ message }) => reject(connectionFailure(name, { message })));
  socket.addEventListener("close", () => reject(new Error(`the connection to the pod ${name} ended before the program did`)));
  try {
    return await promise;
  } finally {
    socket.close();
  }
}

/** Passes outputs on without ending this process's own. */
export function passedOn(target: Writable): PassThrough {
  const stream = new PassThrough();
  stream.pipe(target, { end: false });
  return stream;
}
