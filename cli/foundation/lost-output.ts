const ignore = (): void => undefined;

/**
 * Continues without a reader of the output, such as after `| head`, and without a terminal, such as after the end of an SSH session. An error
 * of a stream without a listener would end the process, in the midst of an update too.
 */
export function continueWithoutOutput(): void {
  for (const stream of [process.stdout, process.stderr]) stream.on("error", ignore);
}

/** Ends the process as soon as nothing reads its output. */
export function endWithOutput(): void {
  process.stdout.on("error", () => process.exit());
}
