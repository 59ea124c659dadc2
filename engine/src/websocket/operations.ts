import { errorType, inSpan, type Span, type TraceOrigin, type Tracing } from "@routeql/tracing/span";
import type { GraphQLRequest, Session } from "../engine.ts";
import { EngineError, legacyError, toEngineError } from "../errors.ts";
import { wholeReply } from "../executor.ts";
import { type Cancellation, ClientLeft, LightCancellation } from "../cancellation.ts";
import { clientOf, execute, fail, type Front } from "../http/graphql-execution.ts";
import { textOf } from "../postgres/bytes.ts";
import type { Hold } from "../cost/waiting-bytes.ts";
import { type Close, closes, completeFrame, type Dialect } from "./server-message.ts";
import type { Outbox } from "./outbox.ts";

export interface OperationsContext extends Omit<Front, "authenticator" | "turns"> {
  /** Maximum number of concurrent operations on one connection. */
  readonly operationLimit: number;
  /** Absent when no operation is traced. */
  readonly tracing?: Tracing | undefined;
}

export interface ConnectionIdentity {
  readonly requestId: string;
  readonly address: string | undefined;
  /** Errors of requests have the form of Hasura's older endpoints, as on `/v1alpha1/graphql`. */
  readonly hasLegacyErrors: boolean;
  /** Header `traceparent` of the upgrade request: all operations of the connection belong to its trace. */
  readonly traceparent: TraceOrigin["traceparent"];
}

export interface ConnectionRecord {
  readonly role: string | undefined;
  readonly operations: number;
  readonly failed: number;
  /** Labels of the errors, each once. */
  readonly errors: readonly string[] | undefined;
}

interface RunningOperation {
  /** Id from the client. */
  readonly id: string;
  stop(): void;
}

/** The operations of one connection, by the client's ids. */
export class Operations {
  readonly #context: OperationsContext;
  readonly #outbox: Outbox;
  readonly #dialect: Dialect;
  readonly #identity: ConnectionIdentity;
  readonly #close: (close: Close) => void;
  /** Never more than the limit. Not a Map, for the reason in Watchdog. */
  readonly #running: RunningOperation[] = [];
  #isEnded = false;
  #session: Session | undefined;
  #started = 0;
  #failed = 0;
  readonly #errors = new Set<string>();

  constructor(
    context: OperationsContext,
    outbox: Outbox,
    dialect: Dialect,
    identity: ConnectionIdentity,
    close: (close: Close) => void,
  ) {
    this.#context = context;
    this.#outbox = outbox;
    this.#dialect = dialect;
    this.#identity = identity;
    this.#close = close;
  }

  /** Allows operations, with this session. */
  begin(session: Session): void {
    this.#session = session;
  }

  start(id: string, request: GraphQLRequest): void {
    const session = this.#session;
    if (session === undefined) throw new Error("operations start after begin()");
    this.#started += 1;
    if (this.#running.some((operation) => operation.id === id))
      this.refuseStart(id, `an operation already exists with this id: ${id}`);
    else this.#run(id, request, session);
  }

  stop(id: string): void {
    const operation = this.#running.find((each) => each.id === id);
    if (operation === undefined) return;
    this.#forget(operation);
    operation.stop();
  }

  end(): void {
    this.#isEnded = true;
    for (const operation of this.#running.splice(0)) operation.stop();
  }

  get record(): ConnectionRecord {
    return {
      role: this.#session?.role,
      operations: this.#started,
      failed: this.#failed,
      errors: this.#errors.size === 0 ? undefined : [...this.#errors],
    };
  }

  logRefusal(error: EngineError): void {
    this.#errors.add(error.label);
    this.#context.logError(error, { requestId: this.#identity.requestId });
    if (error.reason !== undefined) this.#context.metrics.unavailable(error.reason);
  }

  #run(id: string, request: GraphQLRequest, session: Session): void {
    const span = this.#context.tracing?.start("GraphQL operation", this.#identity, {
      "network.protocol.name": "websocket",
      "routeql.role": session.role,
    });
    try {
      if (this.#running.length >= this.#context.operationLimit) throw tooManyOperations(this.#context.operationLimit);
      if (this.#context.executor.kindOf(request, session) === "subscription")
        this.#subscribe(id, request, session, span);
      else this.#query(id, request, session, span);
    } catch (thrown) {
      span?.fail(errorType(thrown));
      span?.end();
      this.#refuse(id, thrown, session);
    }
  }

  /** Its span ends when the subscription is prepared: polls answer many subscriptions at once and have no span. */
  #subscribe(id: string, request: GraphQLRequest, session: Session, span: Span | undefined): void {
    const { executor, metrics } = this.#context;
    const jsonId = JSON.stringify(id);
    let prepared;
    try {
      span?.rename("subscription");
      span?.set({ "graphql.operation.type": "subscription" });
      prepared = inSpan(span, "plan", "internal", {}, () => executor.prepare(request, session));
    } catch (error) {
      metrics.operation("subscription", session.role, toEngineError(error).code, 0);
      throw error;
    }
    metrics.operation("subscription", session.role, "success", 0);
    span?.end();
    const subscription = prepared.start({
      deliver: ({ text, failed }) => {
        const frame = failed ? this.#dialect.failedData(jsonId, text) : this.#dialect.data(jsonId, text);
        if (prepared.isReplaceable) this.#outbox.sendLatest(id, frame);
        else this.#outbox.send(frame);
      },
      refuse: (error) => {
        this.stop(id);
        this.#refuse(id, error, session);
      },
      lose: () => this.#close(closes.serverStateChanged),
      isReady: () => !this.#outbox.isCongested,
    });
    let hold: Hold | undefined;
    this.#running.push({
      id,
      stop: () => {
        subscription.stop();
        this.#outbox.forget(id);
        hold?.release();
      },
    });
    // Last, because it may disconnect clients, also this one. Another one's end would release the statement that is not started yet.
    hold = this.#holdLong(prepared.bytes, session);
    if (this.#isEnded) hold?.release();
  }

  /** Long subscriptions count like unsent answers while they run. */
  #holdLong(bytes: number, session: Session): Hold | undefined {
    if (bytes < smallSubscription) return undefined;
    const hold = this.#context.waitingBytes.hold(
      () => clientOf(session),
      () => this.#close(closes.subscriptionsTooLarge),
      { hasTimeout: true },
    );
    hold.set(bytes);
    return hold;
  }

  #query(id: string, request: GraphQLRequest, session: Session, span: Span | undefined): void {
    span?.rename("query");
    const cancellation = new LightCancellation();
    const operation = { id, stop: () => cancellation.abort(new ClientLeft()) };
    this.#running.push(operation);
    void this.#answer(id, request, session, cancellation, span).finally(() => {
      span?.end();
      this.#forget(operation);
    });
  }

  /** Its id becomes available, even if it already is. */
  #forget(operation: RunningOperation): void {
    const position = this.#running.indexOf(operation);
    if (position !== -1) this.#running.splice(position, 1);
  }

  async #answer(
    id: string,
    request: GraphQLRequest,
    session: Session,
    signal: Cancellation,
    span: Span | undefined,
  ): Promise<void> {
    const jsonId = JSON.stringify(id);
    try {
      const { requestId, address } = this.#identity;
      const reply = await wholeReply(
        await execute(this.#context, request, session, { signal, span, requestId, address }),
      );
      if (signal.aborted) return;
      this.#outbox.send(this.#dialect.data(jsonId, textOf(reply)));
      this.#outbox.send(completeFrame(jsonId));
    } catch (thrown) {
      if (signal.aborted) return;
      this.#refuse(id, thrown, session, executionCodes.has(toEngineError(thrown).code));
    }
  }

  /** Ends an operation whose request was rejected or whose execution failed. */
  #refuse(id: string, thrown: unknown, session: Session, failed = false): void {
    const { requestId, hasLegacyErrors } = this.#identity;
    const { error, showsInternal } = fail(this.#context, thrown, requestId, session);
    this.#failed += 1;
    this.#errors.add(error.label);
    const serialized = hasLegacyErrors
      ? legacyError(error, { withInternal: showsInternal })
      : error.toJSON(showsInternal);
    const jsonId = JSON.stringify(id);
    this.#outbox.send(
      failed ? this.#dialect.executionError(jsonId, serialized) : this.#dialect.requestError(jsonId, serialized),
    );
    this.#outbox.send(completeFrame(jsonId));
  }

  refuseStart(id: string, message: string): void {
    const error = new EngineError({ code: "start-failed", message });
    this.#failed += 1;
    this.logRefusal(error);
    const jsonId = JSON.stringify(id);
    const { frame, close } = this.#dialect.startError(jsonId, error.toJSON());
    this.#outbox.send(frame);
    if (close === undefined) this.#outbox.send(completeFrame(jsonId));
    else this.#close(close);
  }
}

/** Smaller subscriptions are bounded only by their number. */
const smallSubscription = 8_192;

/** Codes of failures that only execution can cause. */
const executionCodes: ReadonlySet<string> = new Set([
  "busy",
  "constraint-error",
  "data-exception",
  "permission-error",
  "postgres-error",
  "timeout",
  "unexpected",
]);

function tooManyOperations(limit: number): EngineError {
  const message = `at most ${String(limit)} operations may run on one connection`;
  return new EngineError({ code: "start-failed", message });
}
