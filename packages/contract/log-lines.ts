/** Maximum buffered characters before the end of a turn. */
const longest = 65_536;

/** Where a logger writes its lines. */
interface LineStream {
  write(line: string): void;
}

export interface TurnDestination extends LineStream {
  /** Writes the buffer; pino calls it after a fatal line. */
  flushSync(): void;
}

/**
 * Writes the lines of one turn of the event loop together at its end: a system call for each line costs more than the rest of logging,
 * and under load one turn answers many requests. An answer that waits for the database or the session store is sent after
 * its lines are written.
 */
export function byTurn(stream: LineStream): TurnDestination {
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
