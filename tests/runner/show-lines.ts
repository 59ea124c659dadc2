import type { Readable, Writable } from "node:stream";
import { createInterface } from "node:readline";

/**
 * Shows a stream line by line with a prefix, so that the output of parallel suites is distinguishable. `keep` receives the same lines
 * without the prefix.
 */
export function showLines(from: Readable, prefix: string, to: Writable, keep: (line: string) => void): void {
  createInterface({ input: from, crlfDelay: Infinity }).on("line", (line) => {
    keep(line);
    // Empty lines separate blocks, which lines of other suites interrupt anyway.
    if (line.trim() !== "" || prefix === "") to.write(`${prefix}${line}\n`);
  });
}
