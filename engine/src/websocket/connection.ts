import type { RawData, WebSocket } from "ws";
import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import { mergeHeaders, type RequestHeaders } from "../auth/request-headers.ts";
import { toEngineError } from "../errors.ts";
import { parseClientMessage, parseStartPayload, type ClientMessage } from "./client-message.ts";
import { closes, type Close } from "./close-codes.ts";
import { onDeadline } from "./deadline.ts";
import type { Turns } from "../cost/turns.ts";
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
  readonly turns: Turns;
}

/** Bytes that a client may send before it is authenticated: `connection_init` with the headers that HTTP would allow. */
const mostUnauthenticatedBytes = 32_768;
/** Messages that a client may send before it is authenticated; each is read and may be answered. */
const mostUnauthenticatedMessages = 20;
/** Messages that may wait while the token is verified, or until the client's turn comes: as many as one read of the socket can bring. */
const mostHeld = 20_000;
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
  /** Frames that were on their way when verification of the token began, or the wait for a turn; nothing more is read until it ends. */
  #held: RawData[] | undefined;
  /** {@link Session.client}; before that nobody's. */
  #client = "";
  #nextHeld = 0;
  /** Whether the client is authenticated. Until then nothing but `connection_init` is read. */
  #isAccepted = false;
  #unauthenticatedBytes = 0;
  #unauthenticatedMessages = 0;
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
    this.#outbox = createOutbox(socket, context.outboxLimits, context.waitingBytes, () => this.#client);
    this.#operations = new Operations(context, this.#outbox, dialect, identity, (close) => this.close(close));
    this.#initTimer = setTimeout(() => this.close(dialect.initTimeout), context.initTimeout);
    socket.on("message", (data) => this.#receive(data));
    socket.on("ping", (data: Buffer) => this.#outbox.pong(data));
    socket.on("pong", () => {
      this.#isAlive = true;
    });
    socket.on("close", () => {
      this.#end();
      this.#outbox.close();
    });
    // A broken frame or connection; ws closes the socket by itself and says so with `close`.
    socket.on("error", () => undefined);
  }

  close({ code, reason }: Close): void {
    this.#end();
    // The client's own close frame has to be read.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** Counts bytes that the client sent, frames and unfinished frames alike. */
  received(bytes: number): void {
    // While the token is verified the socket is paused, so that no more can come.
    if (this.#isAccepted || this.#held !== undefined) return;
    this.#unauthenticatedBytes += bytes;
    if (this.#unauthenticatedBytes > mostUnauthenticatedBytes) this.terminate();
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
    if (this.#held !== undefined) {
      if (this.#held.length >= mostHeld) this.terminate();
      else this.#held.push(data);
    } else if (this.#isAccepted) this.#readInTurn(data);
    else {
      this.#unauthenticatedMessages += 1;
      if (this.#unauthenticatedMessages > mostUnauthenticatedMessages) this.terminate();
      else this.#read(data);
    }
  }

  /** Reads a message when it is the client's turn; until then nothing more is taken from the socket. */
  #readInTurn(data: RawData): void {
    let turn;
    try {
      turn = this.#context.turns.run(this.#client, () => this.#read(data));
    } catch {
      // Too many sockets of the client wait.
      this.terminate();
      return;
    }
    if (!(turn instanceof Promise)) return;
    this.#held = [];
    this.#socket.pause();
    turn.then(() => this.#readHeld()).catch(() => this.terminate());
  }

  /** Reads what is held, from where it stopped, and then from the socket again. */
  #readHeld(): void {
    const held = this.#held ?? [];
    while (!this.#isEnded) {
      const data = held[this.#nextHeld];
      if (data === undefined) break;
      this.#nextHeld += 1;
      const turn = this.#context.turns.run(this.#client, () => this.#read(data));
      if (turn instanceof Promise) {
        turn.then(() => this.#readHeld()).catch(() => this.terminate());
        return;
      }
    }
    this.#held = undefined;
    this.#nextHeld = 0;
    this.#socket.resume();
  }

  #read(data: RawData): void {
    try {
      this.#handle(parseClientMessage(textOf(data)));
    } catch (error) {
      const answer = this.#dialect.badMessage(error instanceof Error ? error.message : "");
      if ("close" in answer) this.close(answer.close);
      else this.#outbox.send(answer.frame);
    }
  }

  #handle(message: ClientMessage): void {
    switch (message.type) {
      case "init":
        this.#initialise(message.headers);
        return;
      case "start":
        if (this.#isAccepted) this.#operations.start(message.id, parseStartPayload(message.payload));
        else this.#operations.refuseStart(message.id, "start received before the connection is initialised");
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
    this.#socket.pause();
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
    this.#isAccepted = true;
    this.#client = session.client ?? session.role;
    this.#operations.begin(session);
    for (const frame of this.#dialect.acknowledgement) this.#outbox.send(frame);
    this.#keepAliveTimer = setInterval(() => this.#sendKeepAlive(), this.#context.keepAlive);
    this.#cancelExpiry = onDeadline(expiresAt, this.#context.now, () => this.close(closes.tokenExpired));
    this.#readHeld();
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
