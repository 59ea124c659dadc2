import type { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import type { Authentication } from "../auth/authenticator.ts";
import { mergeHeaders, type RequestHeaders } from "../auth/request-headers.ts";
import { toEngineError } from "../errors.ts";
import { clientOf, type Front } from "../http/graphql-execution.ts";
import { type ClientMessage, parseClientMessage, parseStartPayload } from "./client-message.ts";
import { type Close, closes, type Dialect } from "./server-message.ts";
import { type ConnectionIdentity, type ConnectionRecord, Operations, type OperationsContext } from "./operations.ts";
import { createOutbox, type Outbox, type OutboxLimits } from "./outbox.ts";

export interface ConnectionContext extends OperationsContext, Front {
  readonly now: () => number;
  /** Time limit for `connection_init`, in milliseconds. */
  readonly initTimeout: number;
  /** Interval between two keep-alive messages, in milliseconds. */
  readonly keepAlive: number;
  readonly outboxLimits: OutboxLimits;
}

/** Maximum bytes before authentication: a `connection_init` with as many headers as HTTP allows. */
const mostUnauthenticatedBytes = 32_768;
/** Maximum number of messages before authentication; the server parses each and may answer it. */
const mostUnauthenticatedMessages = 20;
/** Maximum number of messages that wait during token verification or for the client's turn: as many as one read of the socket can return. */
const mostHeld = 20_000;
/** Number of keep-alives after which a client that answers no WebSocket ping is disconnected. */
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
  #isRevoked: () => boolean = () => false;
  /** Frames that were in transit when token verification or the wait for a turn began; the socket is paused until it ends. */
  #held: RawData[] | undefined;
  /** {@link Session.client}; empty before authentication. */
  #client = "";
  #nextHeld = 0;
  /** Whether the client is authenticated. Until then only `connection_init` is parsed. */
  #isAccepted = false;
  #unauthenticatedBytes = 0;
  #unauthenticatedMessages = 0;
  #keepAlives = 0;
  #isAlive = true;
  #isEnded = false;

  constructor(
    socket: WebSocket,
    connection: Duplex,
    dialect: Dialect,
    upgradeHeaders: RequestHeaders,
    identity: ConnectionIdentity,
    context: ConnectionContext,
  ) {
    this.#socket = socket;
    this.#dialect = dialect;
    this.#context = context;
    this.#upgradeHeaders = upgradeHeaders;
    this.#outbox = createOutbox(socket, connection, context.outboxLimits, context.waitingBytes, () => this.#client);
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
    // A broken frame or connection: ws closes the socket by itself and emits `close`.
    socket.on("error", () => undefined);
  }

  /** Log fields of the connection. */
  get record(): ConnectionRecord {
    return this.#operations.record;
  }

  closeIfRevoked(): void {
    if (this.#isRevoked()) this.close(closes.tokenRevoked);
  }

  close({ code, reason }: Close): void {
    this.#end();
    // Resumed to receive the client's close frame.
    this.#socket.resume();
    this.#socket.close(code, reason);
  }

  /** Counts bytes that the client sent, complete and incomplete frames alike. */
  received(bytes: number): void {
    // During token verification the socket is paused, so no more bytes can arrive.
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
    this.#operations.end();
  }

  #receive(data: RawData): void {
    if (this.#isEnded) return;
    if (this.#held !== undefined) {
      if (this.#held.length >= mostHeld) this.terminate();
      else this.#held.push(data);
    } else if (this.#isAccepted) this.#readInTurn(data);
    else {
      this.#unauthenticatedMessages += 1;
      // A compressed message is longer than the bytes that arrived.
      if (this.#unauthenticatedMessages > mostUnauthenticatedMessages || lengthOf(data) > mostUnauthenticatedBytes)
        this.terminate();
      else this.#read(data);
    }
  }

  /** Handles a message at the client's turn; until then the socket is paused. */
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

  /** Handles the waiting frames from where it stopped, and then resumes the socket. */
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

  /** The connection may have ended while the message waited for its turn. */
  #read(data: RawData): void {
    if (this.#isEnded) return;
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

  #accept({ session, expiresAt, isRevoked }: Authentication): void {
    if (this.#isEnded) return;
    this.#isRevoked = isRevoked;
    // The key set may have changed after the verification, when this connection was not known yet.
    if (isRevoked()) {
      this.close(closes.tokenRevoked);
      return;
    }
    clearTimeout(this.#initTimer);
    this.#isAccepted = true;
    this.#client = clientOf(session);
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

function lengthOf(data: RawData): number {
  return Array.isArray(data) ? data.reduce((sum, { length }) => sum + length, 0) : data.byteLength;
}

function textOf(data: RawData): string {
  if (Buffer.isBuffer(data)) return data.toString("utf8");
  return Array.isArray(data) ? Buffer.concat(data).toString("utf8") : Buffer.from(data).toString("utf8");
}

/** Node's timers hold 32 bits of milliseconds; a longer one would fire at once. */
const longestTimer = 2_147_483_647;

/** Calls `reached` once the clock shows `at`, never before. Infinity never fires. Returns a function that cancels it. */
export function onDeadline(at: number, now: () => number, reached: () => void): () => void {
  if (at === Infinity) return () => undefined;
  let timer: NodeJS.Timeout;
  const wait = (): void => {
    const left = at - now();
    if (left <= 0) reached();
    else timer = setTimeout(wait, Math.min(left, longestTimer));
  };
  timer = setTimeout(wait, Math.min(Math.max(at - now(), 0), longestTimer));
  return () => clearTimeout(timer);
}
