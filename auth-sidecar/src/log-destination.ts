import { pino, type DestinationStream } from "pino";

/** Maximum buffered characters before the end of a turn. */
const longest = 65_536;

export interface TurnDestination extends DestinationStream {
  /** Writes the buffer; pino calls it after a fatal line. */
  flushSync(): void;
}

/**
 * Standard output. If it cannot be written, for example on a full disk, up to 1 MiB of lines is buffered and further lines are lost; the service
 * continues.
 */
export function standardOutput(): DestinationStream {
  const stream = pino.destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  const destination = byTurn(stream);
  process.on("exit", () => destination.flushSync());
  return destination;
}

/**
 * Writes the lines of one turn of the event loop together at its end: a system call for each line costs more than the rest of logging,
 * and under load one turn answers many requests. An answer that waits for the database or the session store is sent after
 * its lines are written.
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
