/** The OpenTelemetry SDK behind {@link Tracing}. Only tracing.ts imports this module, and only with an endpoint. */
import { hostname } from "node:os";
import {
  type Context,
  ROOT_CONTEXT,
  type Span as SdkSpan,
  SpanKind as SdkSpanKind,
  SpanStatusCode,
  trace,
  TraceFlags,
  type Tracer,
} from "@opentelemetry/api";
import { ExportResultCode } from "@opentelemetry/core";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  BatchSpanProcessor,
  type IdGenerator,
  RandomIdGenerator,
  type SpanExporter,
} from "@opentelemetry/sdk-trace-base";
import { readTraceParent, traceIdOf } from "@routeql/contract/trace-context";
import { within } from "@routeql/contract/within";
import { endpointOf } from "./settings.ts";
import {
  type Attributes,
  errorType,
  type Span,
  type SpanKind,
  type TraceOrigin,
  type Tracing,
  type TracingOptions,
} from "./span.ts";

/** Clients set the sampled flag, so the work that they can cause is bounded. */
const mostTracesPerSecond = 100;
const mostSpansPerTrace = 100;
const longestValue = 200;

/** Spans that wait for the collector; further ones are dropped. A small batch keeps the pause of its serialisation short. */
const queue = { maxQueueSize: 2_048, maxExportBatchSize: 128 };

/** In milliseconds. */
const exportTimeout = 5_000;
const stopTimeout = 2_000;
const warningInterval = 600_000;

const kinds: Readonly<Record<SpanKind, SdkSpanKind>> = {
  server: SdkSpanKind.SERVER,
  client: SdkSpanKind.CLIENT,
  internal: SdkSpanKind.INTERNAL,
};

export class OpenTelemetry implements Tracing {
  readonly #provider: BasicTracerProvider;
  readonly #tracer: Tracer;
  readonly #ids = new RequestIds();
  /** Share of the requests that are traced. */
  readonly #share: number;
  readonly #limit = new RateLimit(mostTracesPerSecond);

  constructor({
    service,
    version,
    endpoint,
    percent,
    onEvent,
    interval = 5_000,
  }: TracingOptions & { readonly endpoint: string }) {
    const exporter = new OTLPTraceExporter({ url: endpointOf(endpoint) ?? endpoint, timeoutMillis: exportTimeout });
    this.#share = percent / 100;
    this.#provider = new BasicTracerProvider({
      resource: resourceFromAttributes({
        "service.name": service,
        "service.version": version,
        "service.namespace": "routeql",
        "service.instance.id": hostname(),
      }),
      // start() decides before it creates a span, because most requests have none.
      sampler: new AlwaysOnSampler(),
      idGenerator: this.#ids,
      spanLimits: { attributeValueLengthLimit: longestValue },
      spanProcessors: [
        new BatchSpanProcessor(reporting(exporter, onEvent), {
          ...queue,
          scheduledDelayMillis: interval,
          exportTimeoutMillis: exportTimeout,
        }),
      ],
    });
    this.#tracer = this.#provider.getTracer("routeql");
  }

  start(name: string, { traceparent, requestId }: TraceOrigin, attributes: Attributes): Span | undefined {
    const caller = readTraceParent(traceparent);
    const given = caller?.traceId ?? traceIdOf(undefined, requestId);
    if (!(caller?.isSampled ?? this.#isSampled(given)) || !this.#limit.take()) return undefined;
    const traceId = given ?? this.#ids.generateTraceId();
    this.#ids.next = caller === undefined ? traceId : undefined;
    const parent =
      caller === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId,
            spanId: caller.spanId,
            traceFlags: TraceFlags.SAMPLED,
            isRemote: true,
          });
    const span = this.#tracer.startSpan(name, { kind: SdkSpanKind.SERVER, attributes }, parent);
    return new RecordedSpan(span, { tracer: this.#tracer, spans: 1 });
  }

  /** The same decision in every service, because it depends on the id alone: its last 48 bits are random. Every request runs this. */
  #isSampled(traceId: string | undefined): boolean {
    const random = traceId === undefined ? Math.random() : Number.parseInt(traceId.slice(-12), 16) / 2 ** 48;
    return random < this.#share;
  }

  async stop(): Promise<void> {
    await within(stopTimeout, this.#provider.shutdown()).catch(() => undefined);
  }
}

interface Trace {
  readonly tracer: Tracer;
  spans: number;
}

class RecordedSpan implements Span {
  readonly #span: SdkSpan;
  readonly #trace: Trace;
  #context: Context | undefined;

  constructor(span: SdkSpan, within: Trace) {
    this.#span = span;
    this.#trace = within;
  }

  get traceId(): string {
    return this.#span.spanContext().traceId;
  }

  rename(name: string): void {
    this.#span.updateName(name);
  }

  set(attributes: Attributes): void {
    this.#span.setAttributes(attributes);
  }

  child(name: string, kind: SpanKind, attributes?: Attributes): Span {
    if (this.#trace.spans >= mostSpansPerTrace) return new OmittedSpan(this.traceId);
    this.#trace.spans += 1;
    this.#context ??= trace.setSpan(ROOT_CONTEXT, this.#span);
    return new RecordedSpan(
      this.#trace.tracer.startSpan(name, { kind: kinds[kind], attributes }, this.#context),
      this.#trace,
    );
  }

  fail(type: string): void {
    this.#span.setAttribute("error.type", type);
    this.#span.setStatus({ code: SpanStatusCode.ERROR });
  }

  end(): void {
    this.#span.end();
  }
}

/** A span above the limit of its trace. */
class OmittedSpan implements Span {
  readonly traceId: string;

  constructor(traceId: string) {
    this.traceId = traceId;
  }

  rename(): void {}

  set(): void {}

  child(): Span {
    return this;
  }

  fail(): void {}

  end(): void {}
}

/** Random ids; a trace without a caller takes the given one. */
class RequestIds implements IdGenerator {
  next: string | undefined;
  readonly #random = new RandomIdGenerator();

  generateTraceId(): string {
    const id = this.next ?? this.#random.generateTraceId();
    this.next = undefined;
    return id;
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}

/** The exporter, with a report of failures. */
function reporting(exporter: SpanExporter, onEvent: TracingOptions["onEvent"]): SpanExporter {
  let isReported = false;
  let reportedAt = -Infinity;
  return {
    export(spans, done) {
      exporter.export(spans, (result) => {
        const now = performance.now();
        if (result.code === ExportResultCode.SUCCESS) {
          if (isReported) onEvent({ type: "recovered" });
          isReported = false;
        } else if (now - reportedAt >= warningInterval) {
          isReported = true;
          reportedAt = now;
          onEvent({ type: "failed", reason: errorType(result.error) });
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}

class RateLimit {
  readonly #perSecond: number;
  readonly #now: () => number;
  #second = -1;
  #taken = 0;

  /** @param now milliseconds of a clock that never goes back */
  constructor(perSecond: number, now: () => number = () => performance.now()) {
    this.#perSecond = perSecond;
    this.#now = now;
  }

  /** Whether one more event is allowed; it then counts. */
  take(): boolean {
    const second = Math.floor(this.#now() / 1_000);
    if (second !== this.#second) {
      this.#second = second;
      this.#taken = 0;
    }
    if (this.#taken >= this.#perSecond) return false;
    this.#taken += 1;
    return true;
  }
}
