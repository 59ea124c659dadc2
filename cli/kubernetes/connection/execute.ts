import type { KubeConfig, V1Status } from "@kubernetes/client-node";
import { Failure } from "@routeql/host/failure";
import { followSize, passOn, type ProgramStreams, unlessAborted } from "@routeql/host/program-streams";
import { Channels } from "./channels.ts";
import type { Place } from "../place.ts";
import type { Pod } from "../pods.ts";

/** Channel numbers (Kubernetes' remotecommand protocol). */
const channel = { input: 0, output: 1, errors: 2, status: 3, size: 4 } as const;

/** The exit code in the final status of an execution (API conventions: NonZeroExitCode with the cause ExitCode). */
export function exitCodeOf({ status, details }: V1Status): number {
  if (status === "Success") return 0;
  const code = details?.causes?.find(({ reason }) => reason === "ExitCode")?.message;
  return code === undefined ? 1 : Number(code);
}

/**
 * Runs a program in a pod's container and returns its exit code. `kubectl exec` ends with 1 for a lost connection and for a program's own 1, so
 * that a restore could not tell whether its program ran to the end. @throws Failure for a lost connection; the signal's reason
 */
export async function executeInPod(
  config: KubeConfig,
  { namespace }: Place,
  { name: pod, container }: Pod,
  program: readonly string[],
  { input, output, errors, terminal, signal }: ProgramStreams,
): Promise<number> {
  signal?.throwIfAborted();
  const tty = terminal !== undefined;
  const query = new URLSearchParams({
    container,
    stdout: "true",
    stderr: String(!tty),
    stdin: String(input !== undefined),
    tty: String(tty),
  });
  for (const word of program) query.append("command", word);
  const { promise: ended, resolve, reject } = Promise.withResolvers<number>();
  const channels = await Channels.open(config, { pod, namespace, what: "exec", query }, (number, payload, source) => {
    if (number === channel.status) resolve(exitCodeOf(JSON.parse(payload.toString("utf8")) as V1Status));
    else if (number === channel.output || number === channel.errors)
      passOn(payload, number === channel.errors ? errors : output, source);
  });
  const toPod = channels.writable(channel.input);
  // The end of the connection reports any error of this stream.
  toPod.on("error", () => undefined);
  const forgetSize =
    terminal &&
    followSize(terminal, ({ columns: Width, rows: Height }) =>
      channels.send(channel.size, Buffer.from(JSON.stringify({ Width, Height }))),
    );
  const cannotEnd = (): void =>
    reject(
      new Failure("This cluster cannot signal the end of a program's input", {
        remedy: "use a cluster with Kubernetes 1.30 or later.",
      }),
    );
  if (!channels.canEnd) input?.once("end", cannotEnd);
  input?.pipe(toPod);
  try {
    return await unlessAborted(Promise.race([ended, channels.lost]), signal);
  } finally {
    forgetSize?.();
    input?.unpipe(toPod).off("end", cannotEnd);
    channels.cut();
  }
}
