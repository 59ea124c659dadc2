import { Duplex } from "node:stream";

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
