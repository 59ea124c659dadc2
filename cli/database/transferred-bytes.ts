import { Transform } from "node:stream";

/** Called regularly with the number of bytes so far. */
export type ShowBytes = (bytes: number) => void;

export function countedStream(show: ShowBytes): { readonly stream: Transform; readonly bytes: () => number } {
  let bytes = 0;
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length;
      show(bytes);
      done(null, chunk);
    },
  });
  return { stream, bytes: () => bytes };
}

/** `12.3 MB` */
export const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;

/** Shows progress on standard error: one updated line on a terminal, a plain line every ten seconds elsewhere. */
export function showProgress(
  what: string,
  stream: NodeJS.WriteStream = process.stderr,
): { readonly show: ShowBytes; readonly end: () => void } {
  const pause = stream.isTTY ? 200 : 10_000;
  let last = performance.now();
  let width = 0;
  return {
    show(bytes) {
      const now = performance.now();
      if (now - last < pause) return;
      last = now;
      const line = `${what}: ${megabytes(bytes)}`;
      if (stream.isTTY) stream.write(`\r${line.padEnd(width)}`);
      else stream.write(`${line}\n`);
      width = line.length;
    },
    end() {
      if (stream.isTTY && width > 0) stream.write(`\r${" ".repeat(width)}\r`);
    },
  };
}
