import { Pool } from "undici";
import { HelperProcess } from "./helper-process.ts";
import { percentile } from "./statistics.ts";

/** The repeated request. */
export interface Target {
  readonly host: string;
  readonly port: number;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Bodies that take turns instead. */
  readonly bodies?: readonly string[];
  /** Certificate authority to trust, PEM; with it the connection uses TLS. */
  readonly authority?: string;
}

export interface Load {
  readonly connections: number;
  readonly milliseconds: number;
  /** A new connection for each request. */
  readonly reconnect?: boolean;
  /** Requests per second, timed from when they were due. Without it each connection sends its next request after its answer. */
  readonly rate?: number;
}

export interface LoadResult {
  readonly seconds: number;
  readonly statuses: Readonly<Record<number, number>>;
  /** Milliseconds of each answer with status 200. */
  readonly latencies: Float64Array;
  /** Milliseconds of every other answer. */
  readonly refusalLatencies: Float64Array;
  /** Milliseconds of each answer of any status, from sending the request: the server's own time, even if clients wait for a connection. */
  readonly answerTimes: Float64Array;
  /** Requests whose connection broke. */
  readonly broken: number;
}

/** Puts load on one target for a time. Rejects if the target is unreachable. */
export async function putLoad(target: Target, load: Load): Promise<LoadResult> {
  await using run = new LoadRun(target, load);
  return await run.measure();
}

interface Exchanged {
  readonly status: number;
  /** Time of sending. */
  readonly sent: number;
}

class LoadRun implements AsyncDisposable {
  readonly #target: Target;
  readonly #load: Load;
  readonly #pool: Pool;
  /** Requests without an answer, with the times when they were due. */
  readonly #waiting = new Set<{ readonly due: number }>();
  readonly #latencies: number[] = [];
  readonly #refusals: number[] = [];
  readonly #answerTimes: number[] = [];
  readonly #statuses: Record<number, number> = {};
  readonly #bodies: readonly string[];
  #next = 0;
  #broken = 0;
  #running = true;

  constructor(target: Target, load: Load) {
    this.#target = target;
    this.#load = load;
    const { host, port, authority, body } = target;
    this.#bodies = target.bodies ?? (body === undefined ? [] : [body]);
    this.#pool = new Pool(`${authority === undefined ? "http" : "https"}://${host}:${port}`, {
      connections: load.connections,
      pipelining: 1,
      connect: { ...(authority === undefined ? {} : { ca: authority, servername: "localhost" }), maxCachedSessions: 0 },
    });
  }

  async measure(): Promise<LoadResult> {
    const { connections, milliseconds, rate } = this.#load;
    // Opens the connections before the measurement, and fails if the target is unreachable.
    await Promise.all(Array.from({ length: connections }, () => this.#exchange()));
    const start = performance.now();
    if (rate === undefined) for (let each = 0; each < connections; each += 1) void this.#repeat();
    else this.#tick(start, rate, 0);
    await new Promise((wake) => setTimeout(wake, milliseconds));
    const seconds = (performance.now() - start) / 1000;
    this.#running = false;
    // Due requests without an answer count with their waiting time. Otherwise missing answers would hide an overload.
    if (rate !== undefined) for (const { due } of this.#waiting) this.#latencies.push(performance.now() - due);
    return {
      seconds,
      statuses: this.#statuses,
      latencies: Float64Array.from(this.#latencies),
      refusalLatencies: Float64Array.from(this.#refusals),
      answerTimes: Float64Array.from(this.#answerTimes),
      broken: this.#broken,
    };
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#pool.destroy();
  }

  async #repeat(): Promise<void> {
    while (this.#running) await this.#send(performance.now());
  }

  #tick(start: number, rate: number, sent: number): void {
    if (!this.#running) return;
    const due = Math.floor(((performance.now() - start) / 1000) * rate) + 1;
    for (let index = sent; index < due; index += 1) void this.#send(start + (index * 1000) / rate);
    setTimeout(() => this.#tick(start, rate, Math.max(sent, due)), 1);
  }

  async #send(due: number): Promise<void> {
    const request = { due };
    this.#waiting.add(request);
    try {
      const exchanged = await this.#exchange();
      if (this.#running) this.#count(due, exchanged);
    } catch {
      if (this.#running) this.#broken += 1;
    }
    this.#waiting.delete(request);
  }

  #count(due: number, { status, sent }: Exchanged): void {
    const now = performance.now();
    this.#statuses[status] = (this.#statuses[status] ?? 0) + 1;
    this.#answerTimes.push(now - sent);
    (status === 200 ? this.#latencies : this.#refusals).push(now - due);
  }

  /** Through `dispatch`, which costs least: bodies are not stored. */
  #exchange(): Promise<Exchanged> {
    const { method, path, headers } = this.#target;
    const body = this.#bodies[this.#next++ % this.#bodies.length];
    return new Promise((resolve, reject) => {
      let sent = 0;
      let status = 0;
      this.#pool.dispatch(
        {
          method,
          path,
          headers: body === undefined ? headers : { ...headers, "content-type": "application/json" },
          body: body ?? null,
          reset: this.#load.reconnect === true,
        },
        {
          onConnect: () => void (sent = performance.now()),
          onHeaders: (code) => {
            status = code;
            return true;
          },
          onData: () => true,
          onComplete: () => resolve({ status, sent }),
          onError: reject,
        },
      );
    });
  }
}

export interface Round {
  readonly answers: number;
  /** Answers per second. */
  readonly rate: number;
  readonly p50: number;
  readonly p99: number;
}

export class LoadGenerator extends HelperProcess {
  constructor() {
    super("measure/load-process.ts");
  }

  /** @throws when the target cannot be reached */
  async run(target: Target, load: Load): Promise<LoadResult> {
    return this.ask({ target, load });
  }

  /** @param name of the measurement, for the error. @throws when an answer is not 200 or a connection breaks */
  async round(name: string, target: Target, load: Load): Promise<Round> {
    const { seconds, latencies, statuses, broken } = await this.run(target, load);
    if (broken > 0 || Object.keys(statuses).some((status) => status !== "200"))
      throw new Error(`${name}: ${JSON.stringify(statuses)}, ${broken} connections broken`);
    const answers = latencies.length;
    return { answers, rate: answers / seconds, p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) };
  }
}
