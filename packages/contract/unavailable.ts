/** Why an answer is 503: for logs, metrics and `npm run status`; a reply to a client never names it. Docs: operate/troubleshoot.md. */
export const unavailableReasons = [
  "accounts",
  "admission",
  "connections",
  "database",
  "directory",
  "keys",
  "memory",
  "queue",
  "sessions",
  "stopping",
  "upstream",
  "wait",
] as const;
export type UnavailableReason = (typeof unavailableReasons)[number];

/** Header of a reply with the codes of its errors, for the gateway's log; the gateway removes it. */
export const errorsHeader = "x-graphql-errors";

/** A code with its reason, such as `busy:wait`: the form of the logs and of {@link errorsHeader}. */
export function codeWithReason(code: string, reason: UnavailableReason | undefined): string {
  return reason === undefined ? code : `${code}:${reason}`;
}
