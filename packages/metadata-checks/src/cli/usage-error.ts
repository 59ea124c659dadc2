/** The tool was called wrongly, or could not do its work: exit code 2, and the message alone on standard error. */
export class UsageError extends Error {}
