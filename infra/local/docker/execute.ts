import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { passOutput } from "./pass-output.ts";

const pollMilliseconds = 50;

/**
 * Runs a program in a running container, as the container's user and with its environment. What it prints is passed through.
 * @param input all of its standard input; without it the program has none
 * @returns its exit code
 */
export async function execute(container: Docker.Container, program: readonly string[], input?: string): Promise<number> {
  const execution = await container.exec({
    Cmd: [...program],
    AttachStdin: input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await execution.start({ hijack: true, stdin: input !== undefined });
  const ended = once(stream, "end");
  passOutput(stream);
  if (input !== undefined) stream.end(input);
  await ended;
  stream.destroy();
  return exitCodeOf(execution);
}

/** Of a program that has closed its outputs: the engine may know of its end a moment later. */
export async function exitCodeOf(execution: Docker.Exec): Promise<number> {
  for (;;) {
    const { Running: running, ExitCode: code } = await execution.inspect();
    if (!running && code !== null) return code;
    await sleep(pollMilliseconds);
  }
}
