import { Writable, type Readable } from "node:stream";

/** What a program that runs in a container reads and writes, wherever that container is. */
export interface ProgramStreams {
  /** Without it the program has no input. It is read as fast as the program takes it. */
  readonly input?: Readable | undefined;
  /** What comes out; a write that waits makes the program wait. Neither output is ended. */
  readonly output: Writable;
  readonly errors: Writable;
  /** The terminal that input and output belong to: keys go through as they are, both outputs come as one, and it tells its size. */
  readonly terminal?: NodeJS.WriteStream | undefined;
  /** Gives the program up. */
  readonly signal?: AbortSignal | undefined;
}

/** Runs a program to its end and gives its exit code. @throws the signal's reason when that gives it up */
export type Execute = (program: readonly string[], streams: ProgramStreams) => Promise<number>;

/** This process' own outputs. */
export const ownOutputs: Pick<ProgramStreams, "output" | "errors"> = { output: process.stdout, errors: process.stderr };

/** Passes a chunk on; where the target is slow, its one source waits. */
export function passOn(chunk: Buffer, target: Writable, source: { pause: () => void; resume: () => void }): void {
  // Several chunks may come before a source that is to wait does.
  const waits = target.writableNeedDrain;
  if (target.write(chunk) || waits) return;
  source.pause();
  target.once("drain", () => source.resume());
}

const mostCharacters = 4000;

/** Keeps the end of what a program says, for the report of its failure. */
export function lastWords(): { readonly stream: Writable; readonly lines: () => readonly string[] } {
  let said = "";
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      said = (said + chunk.toString("utf8")).slice(-mostCharacters);
      done();
    },
  });
  return { stream, lines: () => said.trim().split("\n").filter((line) => line !== "").slice(-12) };
}

/** Works until a promise or a signal ends it. @throws the signal's reason */
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

/** Follows the size of a terminal, from now on until the returned function is called. */
export function followSize(terminal: NodeJS.WriteStream, tell: (size: { columns: number; rows: number }) => void): () => void {
  const resized = (): void => {
    const { columns, rows } = terminal;
    if (columns && rows) tell({ columns, rows });
  };
  resized();
  terminal.on("resize", resized);
  return () => terminal.off("resize", resized);
}
