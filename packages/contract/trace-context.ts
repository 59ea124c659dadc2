/** The id by which the log lines and spans of one request are found: that of the client's trace, or without one the request id. */

/** The client's trace, of a `traceparent` header in version 00. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits: the caller's span. */
  readonly spanId: string;
  /** Whether the caller records the trace. */
  readonly isSampled: boolean;
}

const form = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/;

/** Reads a header as https://www.w3.org/TR/trace-context/#traceparent-header defines it; undefined for an invalid or a repeated one. */
export function readTraceParent(header: string | readonly string[] | undefined): TraceParent | undefined {
  const [, traceId, spanId, flags] = (typeof header === "string" && form.exec(header)) || [];
  if (traceId === undefined || spanId === undefined || flags === undefined) return undefined;
  return { traceId, spanId, isSampled: Number.parseInt(flags, 16) % 2 === 1 };
}

/** The trace of a request. The gateway's request ids have the form of trace ids; others have no trace of their own. */
export function traceIdOf(header: string | readonly string[] | undefined, requestId: string): string | undefined {
  return readTraceParent(header)?.traceId ?? (/^(?!0{32})[0-9a-f]{32}$/.test(requestId) ? requestId : undefined);
}
