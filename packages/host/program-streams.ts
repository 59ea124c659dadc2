import { Writable, type Readable } from "node:stream";

/** Input and output of a program in a container, on any kind of host. */
export interface ProgramStreams {
  /** Input of the program, with back-pressure; without it the program has no input. */
  readonly input?: Readable | undefined;
  /** Output of the program; a blocked write blocks the program. Neither output is closed. */
  readonly output: Writable;
  readonly errors: Writable;
  /** The terminal of input and output: keys are passed unchanged, both outputs are merged, and its size is forwarded. */
  readonly terminal?: NodeJS.WriteStream | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program to its end and returns its exit code. @throws the signal's reason when the signal aborts it */
export type Execute = (program: readonly string[], streams: ProgramStreams) => Promise<number>;

export const ownOutputs: Pick<ProgramStreams, "output" | "errors"> = { output: process.stdout, errors: process.stderr };

/** Passes a chunk on; for a slow target, its single source pauses. */
export function passOn(chunk: Buffer, target: Writable, source: { pause: () => void; resume: () => void }): void {
  // Several chunks may arrive before the source pauses.
  const waits = target.writableNeedDrain;
  if (target.write(chunk) || waits) return;
  source.pause();
  target.once("drain", () => source.resume());
}

const mostCharacters = 4000;

/** Keeps the end of a program's output, for an error report. */
export function lastWords(): { readonly stream: Writable; readonly lines: () => readonly string[] } {
  let said = "";
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said = (said + chunk.toString("utf8")).slice(-mostCharacters);
      done();
    },
  });
  return {
    stream,
    lines: () =>
      said
        .trim()
        .split("\n")
        .filter((line) => line !== "")
        .slice(-12),
  };
}

/** Waits for a promise or a signal. @throws the signal's reason */
export async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const abandon = (): void => reject(signal.reason as Error);
  if (signal.aborted) abandon();
  signal.addEventListener("abort", abandon, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", abandon);
  }
}

/** Follows the size of a terminal until the returned function is called. */
export function followSize(
  terminal: NodeJS.WriteStream,
  tell: (size: { columns: number; rows: number }) => void,
): () => void {
  const resized = (): void => {
    const { columns, rows } = terminal;
    if (columns && rows) tell({ columns, rows });
  };
  resized();
  terminal.on("resize", resized);
  return () => terminal.off("resize", resized);
}
