/** A wrong call, or a failure to run: exit code 2, and only the message on standard error. */
export class UsageError extends Error {}
