/**
 * Reason for skipping a test that also a complete run leaves out: it runs only on request, or does not apply. Any other skip keeps the
 * suite from a record (tests/runner/selection/records.ts), because this machine lacks something.
 */
export const leftOut = (reason: string): string => `left out: ${reason}`;
