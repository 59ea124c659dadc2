let latest = { at: 0, text: "" };

/** The time as a field of a line in pino's form, ISO 8601 in UTC. Lines of the same millisecond share it. */
export function isoTime(): string {
  const at = Date.now();
  if (at !== latest.at) latest = { at, text: `,"time":"${new Date(at).toISOString()}"` };
  return latest.text;
}

/** Maximum buffered characters before the next write. */
const longest = 65_536;

/** Time in milliseconds between two writes under load. */
const interval = 50;

interface LineStream {
  write(line: string): void;
}

export interface LineBuffer extends LineStream {
  /** Writes the buffer; pino calls it after a fatal line. */
  flushSync(): void;
}

/** Writes lines together at the end of a turn, at most once per {@link interval}: a system call for each costs more than logging. */
export function bufferLines(stream: LineStream): LineBuffer {
  let lines = "";
  let written = -interval;
  const flushSync = (): void => {
    const text = lines;
    lines = "";
    written = performance.now();
    if (text !== "") stream.write(text);
  };
  const schedule = (): void => {
    const rest = written + interval - performance.now();
    if (rest > 0) setTimeout(flushSync, rest);
    else setImmediate(flushSync);
  };
  return {
    flushSync,
    write(line) {
      if (lines === "") schedule();
      lines += line;
      if (lines.length >= longest) flushSync();
    },
  };
}
