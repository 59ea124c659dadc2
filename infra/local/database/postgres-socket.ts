import { Duplex } from "node:stream";

/** A stream that `pg` takes for a socket. */
export abstract class PostgresSocket extends Duplex {
  abstract readonly connected: Promise<void>;

  constructor() {
    super({ allowHalfOpen: false });
  }

  connect(): this {
    this.connected.then(
      () => this.emit("connect"),
      () => undefined,
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
