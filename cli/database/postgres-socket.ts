import { Duplex } from "node:stream";
import { FrameReader } from "@routeql/host/docker/output";

/** A stream that `pg` can use as a socket. */
export abstract class PostgresSocket extends Duplex {
  /** Rejects when the connection fails before it is established. */
  abstract readonly connected: Promise<void>;

  constructor() {
    super({ allowHalfOpen: false });
    // `pg` listens for errors only once it has the socket. An earlier error must not end the process: `connect` reports it.
    this.on("error", () => undefined);
  }

  /** Emits `connect`, or the error that has already closed the socket. */
  connect(): this {
    this.connected.then(
      () =>
        this.destroyed
          ? this.emit("error", this.errored ?? new Error("the connection to the database is closed"))
          : this.emit("connect"),
      (error: unknown) => this.emit("error", error),
    );
    return this;
  }

  setNoDelay(): this {
    return this;
  }

  setKeepAlive(): this {
    return this;
  }

  ref(): this {
    return this;
  }

  unref(): this {
    return this;
  }
}

/** First byte of a relay's output: the relay has reached the database. */
export const connectedMark = "+";

/**
 * A socket for `pg` over a container that relays between its standard streams and a TCP connection. Both directions have back-pressure: the
 * container is not read while its reader is slow, and a write completes when the container has accepted it.
 */
export class RelaySocket extends PostgresSocket {
  readonly #attached: Duplex;
  #errors = "";
  #connected = false;
  readonly connected: Promise<void>;

  /** @param attached the hijacked connection of an attach with stdin, stdout and stderr */
  constructor(attached: Duplex) {
    super();
    this.#attached = attached;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.connected = promise;
    // A caller may read the failure from `connect` instead.
    promise.catch(() => undefined);
    const frames = new FrameReader((output, payload) => {
      if (output === 2) {
        this.#errors = (this.#errors + payload.toString("utf8")).slice(-2000);
        return;
      }
      let data = payload;
      if (!this.#connected && data.length > 0) {
        this.#connected = true;
        data = data.subarray(connectedMark.length);
        resolve();
      }
      if (data.length > 0 && !this.push(data)) attached.pause();
    });
    attached.on("data", (chunk: Buffer) => frames.add(chunk));
    const fail = (error: Error): void => {
      reject(error);
      this.destroy(error);
    };
    const ended = (): Error =>
      new Error(`the relay to the database ended: ${this.#errors.trim() || "no reason given"}`);
    attached.on("end", () => (this.#connected ? this.push(null) : fail(ended())));
    attached.on("error", fail);
    // A connection to the Docker engine that breaks may close without an end or an error.
    attached.on("close", () => {
      if (!attached.readableEnded && !this.destroyed) fail(ended());
    });
  }

  override _read(): void {
    this.#attached.resume();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#attached.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#attached.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#attached.destroy();
    done(error);
  }
}
