import { Duplex, PassThrough, Writable } from "node:stream";
import { type Execute, lastWords } from "@routeql/host/program-streams";

/** Joins its standard streams with the database's port, and first prints one byte when it is connected. It ends with either side. */
const relay = `exec 3<>"/dev/tcp/$PGHOST/$PGPORT" 4<&0 || exit 1; printf +
cat <&3 & cat <&4 >&3 & wait -n; kill $(jobs -p) 2>/dev/null; wait`;

/** A socket for `pg` over a program beside the database. Both directions have back-pressure. */
export class RelaySocket extends Duplex {
  /** Rejects when the connection fails before it is established. */
  readonly connected: Promise<void>;
  readonly #input = new PassThrough();
  readonly #ended = new AbortController();
  #resume: (() => void) | undefined;

  /** @param execute runs a program with the address of the database in its environment */
  constructor(execute: Execute) {
    super({ allowHalfOpen: false });
    // `pg` listens for errors only once it has the socket. An earlier error must not end the process: `connect` reports it.
    this.on("error", () => undefined);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.connected = promise;
    // A caller may read the failure from `connect` instead.
    promise.catch(() => undefined);
    let connected = false;
    const output = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        const data = connected ? chunk : chunk.subarray(1);
        connected = true;
        resolve();
        if (data.length === 0 || this.push(data)) done();
        else this.#resume = done;
      },
    });
    const errors = lastWords();
    const fail = (error: Error): void => {
      reject(error);
      this.destroy(error);
    };
    const streams = { input: this.#input, output, errors: errors.stream, signal: this.#ended.signal };
    const ended = (): void => {
      if (connected) output.end(() => this.push(null));
      else fail(new Error(`the relay to the database ended: ${errors.lines().join("; ") || "no reason given"}`));
    };
    void execute(["bash", "-c", relay], streams).then(ended, fail);
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

  override _read(): void {
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#input.write(chunk, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#input.end(() => done());
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#ended.abort();
    done(error);
  }
}
