import { randomUUID } from "node:crypto";

/** The gateway's request id if valid, otherwise a new one. Only harmless characters are accepted, because it is logged. */
export function requestId(header: string | string[] | undefined): string {
  return typeof header === "string" && /^[A-Za-z0-9_-]{8,64}$/.test(header) ? header : randomUUID();
}
