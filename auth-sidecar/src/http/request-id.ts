import { randomUUID } from "node:crypto";

/** The gateway's request id when it is one, else a new one; it goes into logs, so only harmless characters are taken over. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : randomUUID();
}
