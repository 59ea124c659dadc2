import type { ByteSource } from "./byte-source.ts";

/** No line of routing data comes near; without a bound, a file without line ends would have to fit in memory. */
const LONGEST_LINE = 1_048_576;

/**
 * The lines of a source, a batch a chunk, with their line ends cut off. Bytes become characters one to one.
 * A line that is too long comes as `[line of more than … characters]`, which no parser takes.
 */
export async function* lines(source: ByteSource): AsyncGenerator<string[]> {
  let rest = "";
  let tooLong = false;
  const finish = (line: string): string => {
    if (tooLong) {
      tooLong = false;
      return `[line of more than ${LONGEST_LINE} characters]`;
    }
    return line.endsWith("\r") ? line.slice(0, -1) : line;
  };
  for await (const chunk of source) {
    const batch = (rest + chunk.toString("latin1")).split("\n");
    rest = batch.pop() ?? "";
    yield batch.map(finish);
    if (rest.length > LONGEST_LINE) {
      tooLong = true;
      rest = "";
    }
  }
  if (rest !== "" || tooLong) yield [finish(rest)];
}
