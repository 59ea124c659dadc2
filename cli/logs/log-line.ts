/** Origin of a line. */
export interface LogSource {
  readonly service: string;
  /** Name of the container or pod. */
  readonly container: string;
}

/** A line of a container's output with its time. */
export interface LogLine extends LogSource {
  /** RFC 3339, as the Docker engine or the kubelet gives it. */
  readonly time: string;
  readonly text: string;
}

/** Splits the time from a line that the Docker engine or Kubernetes returns with `timestamps`. */
export function readLogLine(source: LogSource, line: string): LogLine {
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

/** The trace id, which the gateway names differently. */
const traceIdOf = ({ traceId, trace_id: gateway }: Readonly<Record<string, unknown>>): unknown => traceId ?? gateway;

/** One JSON object: the fields of a JSON line, or its text as `message`, with time, service, container, request id and trace id under the same names. */
export function asJson({ time, service, container, text }: LogLine): string {
  const fields = objectOf(text) ?? { message: text };
  return JSON.stringify({
    ...fields,
    time,
    service,
    container,
    requestId: requestIdOf(fields),
    traceId: traceIdOf(fields),
  });
}

/** `engine | 2026-05-04T10:00:00Z text` */
export const asText = ({ time, text }: LogLine, label: string): string => `${label} | ${time} ${text}`;

/** Order of time. Fractions of a second may have any number of digits. */
export function byTime(left: LogLine, right: LogLine): number {
  const difference = Date.parse(left.time) - Date.parse(right.time);
  if (difference !== 0) return difference;
  const [first, second] = [left, right].map(({ time }) => time.replace(/Z$/, "")) as [string, string];
  return first < second ? -1 : first > second ? 1 : 0;
}
