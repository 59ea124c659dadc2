/** The options, sources, lines and output of `npm run logs`. */
import { explain, Failure } from "@routeql/host/failure";
import { printable } from "@routeql/contract/printable";
import type { ParsedArguments } from "../foundation/command.ts";

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

/** A container whose output can be read. `read` resolves at the end of its output. */
export interface LogReader extends LogSource {
  /** Text before each line. */
  readonly label: string;
  readonly read: (onLine: (line: string) => void) => Promise<void>;
}

/** The containers of the named services, or all. @throws Failure for a service that the stack does not have */
export function selectReaders<Reader extends LogSource>(
  readers: readonly Reader[],
  wanted: readonly string[],
): readonly Reader[] {
  const services = [...new Set(readers.map(({ service }) => service))];
  const unknown = wanted.filter((name) => !services.includes(name));
  if (unknown.length > 0)
    throw new Failure(`There is no service ${unknown.join(", ")}`, { remedy: `choose from ${services.join(", ")}.` });
  return wanted.length === 0 ? readers : readers.filter(({ service }) => wanted.includes(service));
}

/** Prints the logs of containers: in order of time, or with `follow` as the lines arrive. @throws Failure after all other logs, when one cannot be read */
export async function printLogs(
  readers: readonly LogReader[],
  { follow, requestId, json }: Pick<LogOptions, "follow" | "requestId" | "json">,
  signal: AbortSignal,
  print = (line: string): void => void process.stdout.write(`${line}\n`),
  warn: (text: string) => void = console.error,
): Promise<void> {
  const width = Math.max(...readers.map(({ label }) => label.length));
  const labels = new Map(readers.map(({ container, label }) => [container, label.padEnd(width)]));
  const show = (line: LogLine): void => print(json ? asJson(line) : asText(line, labels.get(line.container)!));
  const found: LogLine[] = [];
  const readOne = async (reader: LogReader): Promise<void> =>
    reader.read((text) => {
      if (requestId !== undefined && !text.includes(requestId)) return;
      const line = readLogLine({ service: reader.service, container: reader.container }, text);
      if (follow) show(line);
      else found.push(line);
    });
  const failures: Failure[] = [];
  const tryOne = (reader: LogReader): Promise<void> =>
    readOne(reader).catch((error: unknown) => {
      if (follow && signal.aborted) return;
      if (!(error instanceof Failure)) throw error;
      failures.push(error);
      // The other logs continue, maybe for hours.
      if (follow && readers.length > 1) warn(explain(error));
    });
  if (follow) await Promise.all(readers.map(tryOne));
  else for (const reader of readers) await tryOne(reader);
  for (const line of found.toSorted(byTime)) show(line);
  const [first, ...others] = failures;
  if (first === undefined || signal.aborted) return;
  throw others.length === 0
    ? first
    : new Failure(failures.map(({ message }) => message).join("; "), {
        remedy: failures.map(({ remedy }) => remedy).join(" "),
      });
}

export interface LogSource {
  readonly service: string;
  /** Name of the container or pod. */
  readonly container: string;
}

export interface LogLine extends LogSource {
  /** RFC 3339, as the Docker daemon or the kubelet gives it. */
  readonly time: string;
  readonly text: string;
}

/** Splits the time from a line that the Docker daemon or Kubernetes returns with `timestamps`. */
function readLogLine(source: LogSource, line: string): LogLine {
  const [, time = "", text = line] = /^(\d{4}-\d\d-\d\dT\S+) (.*)$/s.exec(line) ?? [];
  return { ...source, time, text };
}

function objectOf(text: string): Readonly<Record<string, unknown>> | undefined {
  if (!text.startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as Readonly<Record<string, unknown>>;
  } catch {
    return undefined;
  }
}

/** The request id, which services name and nest differently: the gateway, the engine, the sidecar's audit events and Hasura. */
function requestIdOf({ requestId, request_id: gateway, audit, detail }: Readonly<Record<string, unknown>>): unknown {
  const nested = (value: unknown, name: string): unknown =>
    typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
  return (
    requestId ??
    gateway ??
    nested(audit, "requestId") ??
    nested(detail, "request_id") ??
    nested(nested(detail, "operation"), "request_id")
  );
}

const traceIdOf = ({ traceId, trace_id: gateway }: Readonly<Record<string, unknown>>): unknown => traceId ?? gateway;

/** One JSON object: the fields of a JSON line, or its text as `message`, with time, service, container, request id and trace id under the same names. */
function asJson({ time, service, container, text }: LogLine): string {
  const fields = objectOf(text) ?? { message: text };
  const requestId = requestIdOf(fields);
  return JSON.stringify({ ...fields, time, service, container, requestId, traceId: traceIdOf(fields) });
}

/** `engine | 2026-05-04T10:00:00Z text` */
const asText = ({ time, text }: LogLine, label: string): string =>
  `${label} | ${time} ${printable(text.replace(/\r$/, ""))}`;

/** Order of time. Fractions of a second may have any number of digits. */
function byTime(left: LogLine, right: LogLine): number {
  const difference = Date.parse(left.time) - Date.parse(right.time);
  if (difference !== 0) return difference;
  const [first, second] = [left, right].map(({ time }) => time.replace(/Z$/, "")) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}
