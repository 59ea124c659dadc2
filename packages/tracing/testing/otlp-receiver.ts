import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";

export interface ReceivedSpan {
  readonly service: unknown;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first span of a trace. */
  readonly parentSpanId: string;
  readonly name: string;
  /** 1 = internal, 2 = server, 3 = client. */
  readonly kind: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  readonly failed: boolean;
  readonly milliseconds: number;
}

interface Attribute {
  readonly key: string;
  readonly value: Readonly<Record<string, unknown>>;
}

/** The fields of OTLP's JSON that the tests read. */
interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly Attribute[] };
    readonly scopeSpans: readonly {
      readonly spans: readonly {
        readonly traceId: string;
        readonly spanId: string;
        readonly parentSpanId?: string;
        readonly name: string;
        readonly kind: number;
        readonly startTimeUnixNano: string;
        readonly endTimeUnixNano: string;
        readonly attributes?: readonly Attribute[];
        readonly status?: { readonly code?: number };
      }[];
    }[];
  }[];
}

/** Collects the spans that services post as OTLP's JSON, for tests. */
export class OtlpReceiver implements AsyncDisposable {
  readonly spans: ReceivedSpan[] = [];
  text = "";
  status = 200;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      const answer = async (): Promise<void> => {
        const body = (await json(request)) as ExportRequest;
        if (this.status === 200) this.#read(body);
        response
          .writeHead(request.url === "/v1/traces" ? this.status : 404, { "content-type": "application/json" })
          .end("{}");
      };
      answer().catch(() => response.writeHead(400).end());
    });
  }

  /** @param host address on which it listens */
  static async start(host = "127.0.0.1", port = 0): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver();
    await once(receiver.#server.listen(port, host), "listening");
    return receiver;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** For services on this machine. */
  get url(): string {
    return `http://127.0.0.1:${String(this.port)}`;
  }

  of(traceId: string): ReceivedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  #read(body: ExportRequest): void {
    this.text += JSON.stringify(body);
    for (const { resource, scopeSpans } of body.resourceSpans) {
      const service = attributesOf(resource.attributes)["service.name"];
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const {
          traceId,
          spanId,
          parentSpanId = "",
          name,
          kind,
          attributes,
          status,
          startTimeUnixNano: start,
          endTimeUnixNano: end,
        } = span;
        const milliseconds = Number(BigInt(end) - BigInt(start)) / 1e6;
        this.spans.push({
          service,
          traceId,
          spanId,
          parentSpanId,
          name,
          kind,
          attributes: attributesOf(attributes ?? []),
          failed: status?.code === 2,
          milliseconds,
        });
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }
}

/** Values of OTLP are objects with one field, named by their type. */
function attributesOf(attributes: readonly Attribute[]): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]));
}
