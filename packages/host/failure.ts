/** Something that the person at the keyboard can act upon: what failed, the log's last lines, and what to do. */
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

/** The run was ended by Ctrl-C or a signal. */
export class Interrupted extends Error {
  constructor() {
    super("interrupted");
    this.name = "Interrupted";
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What is printed for an error: one block, without a stack trace for what is not a fault of this program. */
export function explain(error: unknown, logFile?: string): string {
  if (error instanceof Interrupted) return "Interrupted. Run the command again: it repairs what was left half-done.";
  const failure = error instanceof Failure ? error : undefined;
  const parts = [
    `Failed: ${failure ? failure.message : error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
  ];
  if (failure && failure.lastLines.length > 0) parts.push(failure.lastLines.map((line) => `  | ${line}`).join("\n"));
  if (failure?.remedy) parts.push(`What to do: ${failure.remedy}`);
  if (logFile) parts.push(`Full log: ${logFile}`);
  return parts.join("\n\n");
}
