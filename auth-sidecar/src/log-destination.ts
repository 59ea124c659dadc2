import { pino, type DestinationStream } from "pino";

/** Characters that wait for the end of a turn at most. */
const longest = 65_536;

export interface TurnDestination extends DestinationStream {
  /** Writes what waits; pino does so after a fatal line. */
  flushSync(): void;
}

/**
 * Standard output. Where nothing can be written, on a full disk say, lines wait up to a mebibyte, and further ones are lost; the service
 * goes on.
 */
export function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  const destination = byTurn(stream);
  process.on("exit", () => destination.flushSync());
  return destination;
}

/**
 * Writes the lines of one turn of the event loop together, at its end: a system call of its own for each line costs more than all else
 * about it, and under load one turn answers many requests. No answer that waits for the database or the session store is sent before
 * the lines that tell of it are written.
 */
export function byTurn(stream: DestinationStream): TurnDestination {
  let lines = "";
  const flushSync = (): void => {
    const text = lines;
    lines = "";
    if (text !== "") stream.write(text);
  };
  return {
    flushSync,
    write(line) {
      if (lines === "") setImmediate(flushSync);
      lines += line;
      if (lines.length >= longest) flushSync();
    },
  };
}
