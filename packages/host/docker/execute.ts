import { setTimeout as sleep } from "node:timers/promises";
import type Docker from "dockerode";
import { FrameReader } from "./output.ts";
import { followSize, passOn, type ProgramStreams, unlessAborted } from "../program-streams.ts";

const pollMilliseconds = 50;

/** Runs a program in a running container and returns its exit code. @param environment added to its own @throws the signal's reason */
export async function execute(
  container: Docker.Container,
  program: readonly string[],
  { input, output, errors, terminal, signal }: ProgramStreams,
  environment: readonly string[] = [],
): Promise<number> {
  signal?.throwIfAborted();
  const [stdin, Tty] = [input !== undefined, terminal !== undefined];
  const execution = await container.exec({
    Cmd: [...program],
    Env: [...environment],
    AttachStdin: stdin,
    AttachStdout: true,
    AttachStderr: true,
    Tty,
  });
  const stream = await execution.start({ hijack: true, stdin, Tty });
  const ended = new Promise<void>((resolve, reject) => {
    stream.once("end", resolve).once("close", resolve).once("error", reject);
  });
  const frames = new FrameReader((number, payload) => passOn(payload, number === 2 ? errors : output, stream));
  stream.on("data", (chunk: Buffer) => (Tty ? passOn(chunk, output, stream) : frames.add(chunk)));
  const forgetSize =
    terminal &&
    followSize(terminal, ({ columns: w, rows: h }) => void execution.resize({ w, h }).catch(() => undefined));
  input?.pipe(stream);
  try {
    await unlessAborted(ended, signal);
  } finally {
    forgetSize?.();
    input?.unpipe(stream);
    stream.destroy();
  }
  return exitCodeOf(execution);
}

/** Exit code of a program that has closed its outputs: the daemon may report its end a moment later. */
async function exitCodeOf(execution: Docker.Exec): Promise<number> {
  for (;;) {
    const { Running: running, ExitCode: code } = await execution.inspect();
    if (!running && code !== null) return code;
    await sleep(pollMilliseconds);
  }
}
