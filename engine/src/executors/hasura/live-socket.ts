import { WebSocket } from "ws";
import type { Session } from "../../engine.ts";
import { EngineError } from "../../errors.ts";
import type { Listener, Subscription } from "../../executor.ts";
import { sessionHeaders } from "./session-headers.ts";
import { errorOf } from "./upstream.ts";

export interface LiveSocketOptions {
  /** Such as `ws://engine:8080/v1/graphql`. */
  readonly url: string;
  readonly adminSecret: string;
  /** Limit of one answer in bytes; 0 = none. */
  readonly answerLimit: number;
}

/** Time in milliseconds to connect. */
const handshakeTimeout = 5_000;
/** Time in milliseconds after which a socket without subscriptions is closed. */
const idleTimeout = 5_000;

/** The start of a frame. Hasura writes the keys in this order; ids are this module's own numbers. */
const head = /^\{"type":"([a-z_]+)"(?:,"id":"(\d+)"(?:,"payload":)?)?/;

/** Hasura's live queries of one session over one socket, for all its clients' sockets. Answers are forwarded unread. */
export class LiveSocket {
  readonly #socket: WebSocket;
  readonly #listeners = new Map<string, Listener>();
  readonly #onClose: () => void;
  /** Frames before `connection_ack`. */
  #waiting: string[] | undefined = [];
  #lastId = 0;
  #idle: NodeJS.Timeout | undefined;

  /** @param onClose called when no further subscription can start */
  constructor(session: Session, { url, adminSecret, answerLimit }: LiveSocketOptions, onClose: () => void) {
    this.#onClose = onClose;
    const headers = sessionHeaders(session, adminSecret);
    this.#socket = new WebSocket(url, "graphql-transport-ws", {
      handshakeTimeout,
      maxPayload: answerLimit,
      perMessageDeflate: false,
      skipUTF8Validation: true,
    });
    this.#socket.on("open", () => {
      // JSON holds text, so the bytes of the headers become text again.
      const texts = Object.entries(headers).map(([name, value]) => [name, Buffer.from(value, "latin1").toString()]);
      this.#socket.send(
        JSON.stringify({ type: "connection_init", payload: { headers: Object.fromEntries(texts) as unknown } }),
      );
    });
    this.#socket.on("message", (data: Buffer) => this.#receive(data.toString("utf8")));
    this.#socket.on("error", () => undefined);
    this.#socket.on("close", () => this.#end());
  }

  get subscribers(): number {
    return this.#listeners.size;
  }

  /** @param payload the request as JSON */
  subscribe(payload: string, listener: Listener): Subscription {
    clearTimeout(this.#idle);
    this.#lastId += 1;
    const id = String(this.#lastId);
    this.#listeners.set(id, listener);
    this.#send(`{"type":"subscribe","id":"${id}","payload":${payload}}`);
    return {
      stop: () => {
        if (this.#listeners.delete(id)) this.#send(`{"type":"complete","id":"${id}"}`);
        this.#closeWhenIdle();
      },
    };
  }

  close(): void {
    this.#socket.terminate();
  }

  #send(frame: string): void {
    if (this.#waiting !== undefined) this.#waiting.push(frame);
    else if (this.#socket.readyState === WebSocket.OPEN) this.#socket.send(frame);
  }

  #receive(text: string): void {
    const found = head.exec(text);
    const [start = "", type, id = ""] = found ?? [];
    switch (type) {
      case "connection_ack":
        for (const frame of this.#waiting ?? []) this.#socket.send(frame);
        this.#waiting = undefined;
        return;
      case "ping":
        this.#socket.send('{"type":"pong"}');
        return;
      case "next":
        this.#listeners.get(id)?.deliver({ text: text.slice(start.length, -1), failed: false });
        return;
      case "error": {
        const [error] = JSON.parse(text.slice(start.length, -1)) as readonly unknown[];
        this.#take(id)?.refuse(new EngineError(errorOf(error)));
        return;
      }
      case "complete":
        this.#take(id)?.lose();
    }
  }

  #take(id: string): Listener | undefined {
    const listener = this.#listeners.get(id);
    this.#listeners.delete(id);
    this.#closeWhenIdle();
    return listener;
  }

  #closeWhenIdle(): void {
    clearTimeout(this.#idle);
    if (this.#listeners.size > 0) return;
    this.#idle = setTimeout(() => {
      this.#onClose();
      this.#socket.close();
    }, idleTimeout).unref();
  }

  /** Hasura has restarted, or closed the socket because the metadata changed. */
  #end(): void {
    clearTimeout(this.#idle);
    this.#onClose();
    const lost = [...this.#listeners.values()];
    this.#listeners.clear();
    for (const listener of lost) listener.lose();
  }
}
