import { randomUUID } from "node:crypto";
import type { RequestHeaders } from "../auth/request-headers.ts";

const acceptable = /^[A-Za-z0-9._:-]{1,128}$/;

/** The caller's `x-request-id` if it is safe in a log and a header, else a new one. */
export function requestId(headers: RequestHeaders): string {
  const given = headers["x-request-id"];
  return typeof given === "string" && acceptable.test(given) ? given : randomUUID();
}
