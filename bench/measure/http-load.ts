import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { connect as connectPlain, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { ResponseReader } from "./response-reader.ts";

/** The repeated request. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Certificate authority to trust, PEM; with it the connection uses TLS. */
  readonly authority?: string;
}

export interface Load {
  readonly connections: number;
  readonly milliseconds: number;
  /** A new connection for each request. */
  readonly reconnect?: boolean;
  /** Each new TLS connection resumes an earlier session. */
  readonly resume?: boolean;
  /**
   * Requests per second, sent independent of earlier answers; their durations count from the time when they were due. Without it each
   * connection sends its next request after its answer.
   */
  readonly rate?: number;
}

export interface LoadResult {
  readonly seconds: number;
  /** Answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds of each answer with status 200. */
  readonly latencies: Float64Array;
  /** Milliseconds of every other answer. */
  readonly refusalLatencies: Float64Array;
  /** Milliseconds of each answer of any status, from sending the request: the server's own time, even if clients wait for a connection. */
  readonly answerTimes: Float64Array;
  /** Body bytes of the last answer with status 200. */
  readonly bytes: number;
  /** Connections that broke. */
  readonly broken: number;
}

/** Puts load on one target for a time. Rejects if the target is unreachable. */
export function putLoad(target: Target, load: Load): Promise<LoadResult> {
  return new LoadRun(target, load).run();
}

interface Connection {
  socket: Socket;
  /** Due time of the current request; undefined without one. */
  since: number | undefined;
  /** Time of sending. */
  sent: number;
}

class LoadRun {
  readonly #target: Target;
  readonly #load: Load;
  readonly #request: Buffer;
  readonly #idle: Connection[] = [];
  readonly #open = new Set<Connection>();
  /** Due times of requests that wait for a free connection. */
  readonly #overdue: number[] = [];
  readonly #latencies: number[] = [];
  readonly #refusals: number[] = [];
  readonly #answerTimes: number[] = [];
  readonly #statuses: Record<number, number> = {};
  #bytes = 0;
  #broken = 0;
  #running = true;
  #session: Buffer | undefined;

  constructor(target: Target, load: Load) {
    this.#target = target;
    this.#load = load;
    this.#request = requestBytes(target, load.reconnect === true);
  }

  async run(): Promise<LoadResult> {
    await Promise.all(Array.from({ length: this.#load.connections }, () => this.#connect()));
    const start = performance.now();
    if (this.#load.rate === undefined)
      for (const connection of this.#idle.splice(0)) this.#send(connection, performance.now());
    else this.#tick(start, this.#load.rate, 0);
    await new Promise((wake) => setTimeout(wake, this.#load.milliseconds));
    const seconds = (performance.now() - start) / 1000;
    this.#running = false;
    // Due requests without an answer count with their waiting time. Otherwise missing answers would hide an overload.
    if (this.#load.rate !== undefined) for (const due of this.#waiting()) this.#latencies.push(performance.now() - due);
    for (const { socket } of this.#open) socket.destroy();
    return {
      seconds,
      statuses: this.#statuses,
      latencies: Float64Array.from(this.#latencies),
      refusalLatencies: Float64Array.from(this.#refusals),
      answerTimes: Float64Array.from(this.#answerTimes),
      bytes: this.#bytes,
      broken: this.#broken,
    };
  }

  #waiting(): number[] {
    return [...this.#overdue, ...[...this.#open].flatMap(({ since }) => (since === undefined ? [] : [since]))];
  }

  #tick(start: number, rate: number, sent: number): void {
    if (!this.#running) return;
    const due = Math.floor(((performance.now() - start) / 1000) * rate) + 1;
    for (let index = sent; index < due; index += 1) this.#overdue.push(start + (index * 1000) / rate);
    this.#drain();
    setTimeout(() => this.#tick(start, rate, Math.max(sent, due)), 1);
  }

  #drain(): void {
    while (this.#overdue.length > 0 && this.#idle.length > 0)
      this.#send(this.#idle.shift() as Connection, this.#overdue.shift() as number);
  }

  #send(connection: Connection, due: number): void {
    connection.since = due;
    connection.sent = performance.now();
    connection.socket.write(this.#request);
  }

  #connect(): Promise<void> {
    return new Promise((resolve, reject) => {
      const { host, port, authority } = this.#target;
      const socket =
        authority === undefined
          ? connectPlain(port, host)
          : connectTls({
              host,
              port,
              ca: authority,
              servername: "localhost",
              ...(this.#session === undefined ? {} : { session: this.#session }),
            });
      if (this.#load.resume === true) socket.on("session", (session: Buffer) => (this.#session = session));
      const connection: Connection = { socket, since: undefined, sent: 0 };
      socket.setNoDelay(true);
      socket.once(authority === undefined ? "connect" : "secureConnect", () => {
        this.#open.add(connection);
        this.#idle.push(connection);
        resolve();
      });
      const reader = new ResponseReader((status, bytes, closes) => this.#answered(connection, status, bytes, closes));
      socket.on("data", (data: Buffer) => reader.take(data));
      socket.on("error", reject);
      socket.on("close", () => this.#closed(connection));
    });
  }

  #answered(connection: Connection, status: number, bytes: number, closes: boolean): void {
    if (!this.#running || connection.since === undefined) return;
    const now = performance.now();
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#answerTimes.push(now - connection.sent);
    (status === 200 ? this.#latencies : this.#refusals).push(now - connection.since);
    if (status === 200) this.#bytes = bytes;
    connection.since = undefined;
    if (this.#load.reconnect === true || closes) this.#replace(connection);
    else if (this.#load.rate === undefined) this.#send(connection, now);
    else {
      this.#idle.push(connection);
      this.#drain();
    }
  }

  /** The time of a request on a new connection includes the handshake. */
  #replace(connection: Connection): void {
    this.#open.delete(connection);
    connection.socket.destroy();
    const due = performance.now();
    const onConnected = (): void => {
      if (!this.#running) return;
      if (this.#load.rate === undefined) this.#send(this.#idle.pop() as Connection, due);
      else this.#drain();
    };
    this.#connect().then(onConnected, () => (this.#broken += 1));
  }

  #closed(connection: Connection): void {
    if (!this.#open.delete(connection) || !this.#running) return;
    if (connection.since !== undefined) this.#broken += 1;
    this.#replace(connection);
  }
}

function requestBytes({ method, path, host, headers, body }: Target, closes: boolean): Buffer {
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `host: ${host}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  if (body !== undefined) lines.push("content-type: application/json", `content-length: ${Buffer.byteLength(body)}`);
  if (closes) lines.push("connection: close");
  return Buffer.from(`${lines.join("\r\n")}\r\n\r\n${body ?? ""}`);
}

type Answer = { readonly result: LoadResult } | { readonly failure: string };

/** A process that puts load on servers, one at a time. */
export class LoadGenerator implements AsyncDisposable {
  readonly #child: ChildProcess;

  constructor() {
    this.#child = fork(join(import.meta.dirname, "load-process.ts"), { serialization: "advanced" });
  }

  /** @throws when the target cannot be reached */
  async run(target: Target, load: Load): Promise<LoadResult> {
    this.#child.send({ target, load });
    const [answer] = (await once(this.#child, "message")) as [Answer];
    if ("failure" in answer) throw new Error(`no load on port ${target.port}: ${answer.failure}`);
    return answer.result;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exited = once(this.#child, "exit");
    this.#child.disconnect();
    await exited;
  }
}
