import type { RawData, WebSocket } from "ws";
import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import { mergeHeaders, type RequestHeaders } from "../auth/request-headers.ts";
import { toEngineError } from "../errors.ts";
import { parseClientMessage, type ClientMessage } from "./client-message.ts";
import { closes, type Close } from "./close-codes.ts";
import { onDeadline } from "./deadline.ts";
import type { Dialect } from "./dialect.ts";
import { Operations, type ConnectionIdentity, type OperationsContext } from "./operations.ts";
import { createOutbox, type Outbox, type OutboxLimits } from "./outbox.ts";

export interface ConnectionContext extends OperationsContext {
  readonly authenticator: Authenticator;
  readonly now: () => number;
  /** Milliseconds the client has for `connection_init`. */
  readonly initTimeout: number;
  /** Milliseconds between two keep-alive messages. */
  readonly keepAlive: number;
  readonly outboxLimits: OutboxLimits;
}

/** Messages that may wait while the token is verified. */
const mostHeld = 100;
/** Keep-alives after which a client that answers no WebSocket ping is given up. */
const keepAlivesPerPing = 6;

/** One client's connection, from the accepted upgrade to the end of the socket. */
export class Connection {
  readonly #socket: WebSocket;
  readonly #dialect: Dialect;
  readonly #context: ConnectionContext;
  readonly #outbox: Outbox;
  readonly #operations: Operations;
  readonly #initTimer: NodeJS.Timeout;
  #upgradeHeaders: RequestHeaders | undefined;
  #keepAliveTimer: NodeJS.Timeout | undefined;
  #cancelExpiry: () => void = () => undefined;
  /** Messages that came while the token was being verified. */
  #held: ClientMessage[] | undefined;
  #keepAlives = 0;
  #isAlive = true;
  #isEnded = false;

  constructor(
    socket: WebSocket,
    dialect: Dialect,
    upgradeHeaders: RequestHeaders,
    identity: ConnectionIdentity,
    context: ConnectionContext,
  ) {
    this.#socket = socket;
    this.#dialect = dialect;
    this.#context = context;
    this.#upgradeHeaders = upgradeHeaders;
    this.#outbox = createOutbox(socket, context.outboxLimits);
    this.#operations = new Operations(context, this.#outbox, dialect, identity, (close) => this.close(close));
    this.#initTimer = setTimeout(() => this.close(dialect.initTimeout), context.initTimeout);
    socket.on("message", (data) => this.#receive(data));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("close", () => this.#end());
    // A broken frame or connection; ws closes the socket by itself and says so with `close`.
    socket.on("error", () => undefined);
  }

  close({ code, reason }: Close): void {
    this.#end();
    this.#socket.close(code, reason);
  }

  terminate(): void {
    this.#socket.terminate();
  }

  #end(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    clearTimeout(this.#initTimer);
    clearInterval(this.#keepAliveTimer);
    this.#cancelExpiry();
    this.#operations.stopAll();
  }

  #receive(data: RawData): void {
    if (this.#isEnded) return;
    let message: ClientMessage;
    try {
      message = parseClientMessage(textOf(data));
    } catch (error) {
      const answer = this.#dialect.badMessage(error instanceof Error ? error.message : "");
      if ("close" in answer) this.close(answer.close);
      else this.#outbox.send(answer.frame);
      return;
    }
    if (this.#held === undefined) this.#handle(message);
    else if (this.#held.length >= mostHeld) this.close(closes.badMessage("too many messages before connection_ack"));
    else this.#held.push(message);
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case "init":
        this.#initialise(message.headers);
        return;
      case "start":
        this.#operations.start(message.id, message.request);
        return;
      case "stop":
        this.#operations.stop(message.id);
        return;
      case "ping":
        this.#outbox.send(JSON.stringify({ type: "pong", payload: message.payload }));
        return;
      case "pong":
        return;
      case "terminate":
        this.close(closes.terminated);
    }
  }

  #initialise(initHeaders: Readonly<Record<string, unknown>>): void {
    const upgradeHeaders = this.#upgradeHeaders;
    if (upgradeHeaders === undefined) {
      this.close(closes.tooManyInitialisations);
      return;
    }
    this.#upgradeHeaders = undefined;
    try {
      const authentication = this.#context.authenticator.authenticate(mergeHeaders(upgradeHeaders, initHeaders));
      if (authentication instanceof Promise) this.#hold(authentication);
      else this.#accept(authentication);
    } catch (error) {
      this.#refuse(error);
    }
  }

  #hold(authentication: Promise<Authentication>): void {
    this.#held = [];
    authentication
      .then(
        (authenticated) => this.#accept(authenticated),
        (error: unknown) => this.#refuse(error),
      )
      .catch(() => this.terminate());
  }

  #refuse(thrown: unknown): void {
    const error = toEngineError(thrown);
    this.#operations.logRefusal(error);
    const { frame, close } = this.#dialect.initError(error.message);
    if (frame !== undefined) this.#outbox.send(frame);
    this.close(close);
  }

  #accept({ session, expiresAt }: Authentication): void {
    if (this.#isEnded) return;
    clearTimeout(this.#initTimer);
    this.#operations.begin(session);
    for (const frame of this.#dialect.acknowledgement) this.#outbox.send(frame);
    this.#keepAliveTimer = setInterval(() => this.#sendKeepAlive(), this.#context.keepAlive);
    this.#cancelExpiry = onDeadline(expiresAt, this.#context.now, () => this.close(closes.tokenExpired));
    const held = this.#held ?? [];
    this.#held = undefined;
    for (const message of held) if (!this.#isEnded) this.#handle(message);
  }

  #sendKeepAlive(): void {
    this.#outbox.send(this.#dialect.keepAlive);
    this.#keepAlives += 1;
    if (this.#keepAlives % keepAlivesPerPing !== 0) return;
    if (!this.#isAlive) {
      this.terminate();
      return;
    }
    this.#isAlive = false;
    this.#socket.ping();
  }
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString("utf8");
  return Array.isArray(data) ? Buffer.concat(data).toString("utf8") : Buffer.from(data).toString("utf8");
}
