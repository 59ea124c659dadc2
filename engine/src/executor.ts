/** The front's only interface to an engine. The front is everything before it: HTTP, WebSockets, tokens, limits, log and metrics. */
import type { Readable } from "node:stream";
import type { Cancellation } from "./cancellation.ts";
import type { EngineStatistics, GraphQLRequest, Session } from "./engine.ts";
import type { EngineError } from "./errors.ts";
import type { Bytes } from "./postgres/bytes.ts";
import type { Span } from "@routeql/tracing/span";

export interface RunOptions {
  /** Aborts when the client leaves. */
  readonly signal: Cancellation;
  readonly requestId: string;
  /** Of the client, as the gateway saw it. */
  readonly address?: string | undefined;
  /** Span of the operation; the caller ends it. */
  readonly span?: Span | undefined;
}

/** A long reply that is forwarded as it arrives. It fails if the rest does not arrive. */
export interface StreamedReply {
  /** In bytes. */
  readonly length: number;
  readonly body: Readable;
}

export const isStreamed = (reply: string | Bytes | StreamedReply): reply is StreamedReply =>
  typeof reply !== "string" && !Array.isArray(reply);

export const wholeReply = (reply: Bytes | StreamedReply): Bytes | Promise<Bytes> =>
  isStreamed(reply) ? (reply.body.toArray() as Promise<Buffer[]>) : reply;

export interface Executor {
  /** Kind of the operation to execute. @throws EngineError for a document that the executor refuses unread */
  kindOf(request: GraphQLRequest, session: Session): "query" | "mutation" | "subscription";
  /** Runs one operation; the front forwards its reply, `{"data":…}`, unread. @throws EngineError; the signal's reason */
  run(request: GraphQLRequest, session: Session, options: RunOptions): Promise<Bytes | StreamedReply>;
  /** Checks a subscription. Nothing runs until its `start`. @throws EngineError */
  prepare(request: GraphQLRequest, session: Session): PreparedSubscription;
  /** Resolves when operations can be answered. @throws Error otherwise */
  ping(): Promise<void>;
  statistics(): ExecutorStatistics;
  /** Finishes running work. */
  close(): Promise<void>;
}

export interface PreparedSubscription {
  /** Whether each answer replaces an unsent former one (a live query), or all must arrive (a stream). */
  readonly isReplaceable: boolean;
  /** Memory in bytes that the subscription needs while it runs. */
  readonly bytes: number;
  start(listener: Listener): Subscription;
}

export interface Delivery {
  /** `{"data":…}`, or `{"errors":[…]}` when `failed`. */
  readonly text: string;
  readonly failed: boolean;
}

export interface Listener {
  deliver(delivery: Delivery): void;
  /** It failed through its own fault: no answer follows, and the caller stops it. */
  refuse(error: EngineError): void;
  /** The engine ended it without an error: the client must connect again. */
  lose(): void;
  /** Whether it accepts more now. Live queries ignore this: their next answer replaces an unsent one. */
  isReady(): boolean;
}

export interface Subscription {
  /** Ends it; nothing is delivered afterwards. Idempotent. */
  stop(): void;
}

/** Called by an executor that polls live queries itself. */
export interface ExecutorEvents {
  /** A statement of live queries was answered. */
  readonly onPoll: (seconds: number) => void;
  /** It failed. */
  readonly onError: (error: EngineError) => void;
  /** A statement found a change that no notice announced. */
  readonly onMissed: () => void;
}

export interface ExecutorStatistics extends Pick<EngineStatistics, "plans" | "pool"> {
  /** Absent where the engine behind the front polls by itself. */
  readonly notices?: EngineStatistics["notices"];
  readonly liveQueries: { readonly cohorts: number; readonly members: number; readonly subscribers: number };
}
