import { Failure } from "@routeql/host/failure";
import type { ParsedArguments } from "../foundation/arguments.ts";

export interface LogOptions {
  /** Names of services; empty for all. */
  readonly services: readonly string[];
  readonly follow: boolean;
  /** Last lines of each container; undefined for all. */
  readonly tail: number | undefined;
  readonly since: Date | undefined;
  readonly requestId: string | undefined;
  /** JSON lines instead of text. */
  readonly json: boolean;
}

const standardTail = 200;
const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600, d: 86_400 };

/** The time that `10m`, `2h` or an ISO 8601 time names. @throws Failure for other texts */
export function readSince(text: string, now = Date.now()): Date {
  const [, count, unit = ""] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const date =
    count === undefined
      ? new Date(/^\d{4}-\d\d-\d\d/.test(text) ? text : Number.NaN)
      : new Date(now - Number(count) * seconds[unit]! * 1000);
  if (!Number.isNaN(date.getTime())) return date;
  throw new Failure(`--since ${text} is neither a duration nor a time`, {
    remedy: "for example --since 10m, --since 2h, --since 1d or --since 2026-05-04T10:00:00Z.",
  });
}

/** @throws Failure for a value that an option does not accept */
export function readLogOptions(args: ParsedArguments): LogOptions {
  const [tail, since, requestId] = ["tail", "since", "request-id"].map((name) => args.optionalText(name));
  if (tail !== undefined && !/^\d{1,9}$/.test(tail))
    throw new Failure("--tail takes a number of lines", { remedy: "for example --tail 500." });
  if (requestId !== undefined && !/^[A-Za-z0-9._:-]{8,128}$/.test(requestId))
    throw new Failure(`--request-id ${requestId} is no request id`, {
      remedy: "copy the header x-request-id of a reply: 32 hexadecimal digits.",
    });
  const isBounded = since !== undefined || requestId !== undefined;
  return {
    services: args.rest,
    follow: args.flag("follow"),
    tail: tail === undefined ? (isBounded ? undefined : standardTail) : Number(tail),
    since: since === undefined ? undefined : readSince(since),
    requestId,
    json: args.flag("json"),
  };
}
