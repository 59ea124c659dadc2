import { printableLines } from "@routeql/contract/printable";

/** An error that the user can fix: the failed action, the log's last lines, and the remedy. */
export class Failure extends Error {
  readonly remedy: string | undefined;
  readonly lastLines: readonly string[];

  constructor(what: string, details: { remedy?: string; lastLines?: readonly string[]; cause?: unknown } = {}) {
    super(what, { cause: details.cause });
    this.name = "Failure";
    this.remedy = details.remedy;
    this.lastLines = details.lastLines ?? [];
  }
}

/** Ctrl-C or a signal ended the run. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
    this.name = "Interrupted";
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The printed form of an error: one block, with a stack trace only for a fault of this program. */
export function explain(error: unknown, logFile?: string): string {
  if (error instanceof Interrupted)
    return "Interrupted. Run the command again: it resumes and repairs the interrupted run.";
  const failure = error instanceof Failure ? error : undefined;
  const parts = [
    `Failed: ${failure ? failure.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ];
  if (failure && failure.lastLines.length > 0) parts.push(failure.lastLines.map((line) => `  | ${line}`).join("\n"));
  if (failure?.remedy) parts.push(`What to do: ${failure.remedy}`);
  if (logFile) parts.push(`Full log: ${logFile}`);
  // Messages quote servers, rows and names of files.
  return printableLines(parts.join("\n\n"));
}
