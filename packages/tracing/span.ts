/** A span as the services see it. Code in a traced request takes an optional span: an untraced request costs one comparison. */
import { AsyncLocalStorage } from "node:async_hooks";

export type Attributes = Readonly<Record<string, string | number | boolean | undefined>>;

export type SpanKind = "server" | "client" | "internal";

/** A sampled span that has not ended. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  rename(name: string): void;
  /** Names follow OpenTelemetry's semantic conventions where one exists. Values never hold content of a user, such as variables. */
  set(attributes: Attributes): void;
  child(name: string, kind: SpanKind, attributes?: Attributes): Span;
  /** Marks the span as failed. @param type code or class of the error; never its message, which can quote client input */
  fail(type: string): void;
  end(): void;
}

/** Runs work in a child span, which ends with it or its promise. Without a parent only the work runs. @throws any error of it */
export function inSpan<Result>(
  parent: Span | undefined,
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: (span?: Span) => Result,
): Result {
  if (parent === undefined) return work();
  const span = parent.child(name, kind, attributes);
  try {
    const result = work(span);
    if (result instanceof Promise) return endWith(span, result) as Result;
    span.end();
    return result;
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
}

async function endWith<Value>(span: Span, work: Promise<Value>): Promise<Value> {
  try {
    const value = await work;
    span.end();
    return value;
  } catch (error) {
    endFailed(span, error);
    throw error;
  }
}

function endFailed(span: Span, error: unknown): void {
  span.fail(errorType(error));
  span.end();
}

/** The code of an error (such as SQLSTATE or errno) or its class. */
export function errorType(error: unknown): string {
  const { code } = (error ?? {}) as { code?: unknown };
  if (typeof code === "number" || (typeof code === "string" && /^[\w-]{1,60}$/.test(code))) return String(code);
  return error instanceof Error ? error.name : "_OTHER";
}

/** The span of the request that runs now, for code that many requests reach through layers without a parameter for it. */
const storage = new AsyncLocalStorage<Span | undefined>();

/** Runs work, and everything that it starts, with this span. */
export function withSpan<Result>(span: Span, work: () => Result): Result {
  return storage.run(span, work);
}

/** Runs work that several requests share, so that none of their spans gets it as a child. */
export function withoutSpan<Result>(work: () => Result): Result {
  return storage.getStore() === undefined ? work() : storage.run(undefined, work);
}

/** Runs work in a child of the current span; without a current span only the work runs. */
export function inCurrentSpan<Result>(
  name: string,
  kind: SpanKind,
  attributes: Attributes,
  work: () => Result,
): Result {
  return inSpan(storage.getStore(), name, kind, attributes, work);
}

/** Headers and id of a request, from which its trace follows. */
export interface TraceOrigin {
  readonly traceparent: string | readonly string[] | undefined;
  readonly requestId: string;
}

export interface Tracing {
  /** The server span of a request; undefined when not traced. Its trace is that of the log lines: the caller's, or the request id. */
  start(name: string, origin: TraceOrigin, attributes: Attributes): Span | undefined;
  /** Exports the remaining spans; takes two seconds at most. */
  stop(): Promise<void>;
}

export type TracingEvent =
  /** Spans are lost. Reported at most once in ten minutes. */
  { readonly type: "failed"; readonly reason: string } | { readonly type: "recovered" };

export interface TracingOptions {
  readonly service: string;
  readonly version: string;
  /** Address of the collector; undefined = no request is traced. */
  readonly endpoint: string | undefined;
  /** Percentage of requests without `traceparent` that are traced. */
  readonly percent: number;
  readonly onEvent: (event: TracingEvent) => void;
  /** Milliseconds between two exports; default 5,000. */
  readonly interval?: number | undefined;
}
