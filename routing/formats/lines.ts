import type { ByteSource } from "./records.ts";

/** Far above any line of routing data; without a limit, a file without line ends would have to fit in memory. */
const LONGEST_LINE = 1_048_576;

/** Lines of a source; `whole` is false for a last line without a line end, which may be the rest of a longer one. */
export interface LineBatch {
  readonly lines: readonly string[];
  readonly whole: boolean;
}

/** The lines of a source in batches, a byte as a character. Too long ones become a text that every parser rejects. */
export async function* lines(source: ByteSource): AsyncGenerator<LineBatch> {
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
    yield { lines: batch.map(finish), whole: true };
    if (rest.length > LONGEST_LINE) {
      tooLong = true;
      rest = "";
    }
  }
  if (rest !== "" || tooLong) yield { lines: [finish(rest)], whole: false };
}
