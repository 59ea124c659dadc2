import { Readable } from "node:stream";
import { Pool } from "undici";
import type { Session } from "../../engine.ts";
import { databaseLost, EngineError, type EngineErrorCode, type EngineErrorInit } from "../../errors.ts";
import { exceeds } from "../../cost/limits.ts";
import { isStreamed, type RunOptions, type StreamedReply } from "../../executor.ts";
import { type Bytes, byteString, lengthOf, longestCopied, textOf } from "../../postgres/bytes.ts";
import { sessionHeaders } from "./session-headers.ts";

export interface UpstreamOptions {
  /** Such as `http://engine:8080`. */
  readonly url: string;
  readonly adminSecret: string;
  readonly connections: number;
  /** Limit of one answer in bytes; 0 = none. */
  readonly answerLimit: number;
  /** Milliseconds that Hasura may take for an answer. */
  readonly patience: number;
}

/** Hasura closes idle connections after 30 s. In milliseconds. */
const keepAliveTimeout = 10_000;

/** A stopping Hasura answers on its open connections for 20 s and then cuts them, so new ones follow in time. In milliseconds. */
const connectionsLife = 5_000;

const connectTimeout = 2_000;

/** Milliseconds for the health check after a failure. */
const healthPatience = 2_000;

/** The start of a reply without data. */
const failed = Buffer.from('{"errors"');

/** Hasura's HTTP API, over connections that stay open. */
export class Upstream {
  readonly #options: UpstreamOptions;
  #pool: Pool;
  #poolSince = performance.now();
  /** Requests that fail together share one check. */
  #checking: Promise<"database" | "upstream" | undefined> | undefined;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#pool = newPool(options);
  }

  /** The answer to one operation. @param onEnd called once, when all of it has arrived or failed @throws EngineError */
  async ask(
    body: string,
    session: Session,
    request: Pick<RunOptions, "requestId" | "address">,
    onEnd: () => void,
  ): Promise<Bytes | StreamedReply> {
    let headers: Record<string, string>;
    try {
      headers = sessionHeaders(session, this.#options.adminSecret, request);
    } catch (error) {
      onEnd();
      throw error;
    }
    headers["content-type"] = "application/json";
    headers["x-request-id"] = request.requestId;
    const reply = await this.#post(body, headers, onEnd);
    if (isStreamed(reply)) return reply;
    const [first] = reply;
    if (first !== undefined && startsWithErrors(first)) throw forwarded(textOf(reply));
    return reply;
  }

  /** @throws Error when Hasura is not healthy */
  async ping(): Promise<void> {
    const status = await this.#health();
    if (status !== 200) throw new Error(`Hasura's health check answers ${status}`);
  }

  /** The service behind an outage: Hasura's health check fails while its database does not answer. Undefined while it is healthy. */
  async cause(): Promise<"database" | "upstream" | undefined> {
    this.#checking ??= this.#health(AbortSignal.timeout(healthPatience))
      .then((status) => (status === 200 ? undefined : ("database" as const)))
      .catch(() => "upstream" as const)
      .finally(() => (this.#checking = undefined));
    return this.#checking;
  }

  async #health(signal?: AbortSignal): Promise<number> {
    const { statusCode, body } = await this.#connections().request({ method: "GET", path: "/healthz", signal });
    await body.dump();
    return statusCode;
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #connections(): Pool {
    if (performance.now() - this.#poolSince > connectionsLife) {
      // It closes after its last answer.
      void this.#pool.close();
      this.#pool = newPool(this.#options);
      this.#poolSince = performance.now();
    }
    return this.#pool;
  }

  #post(body: string, headers: Record<string, string>, onEnd: () => void): Promise<Bytes | StreamedReply> {
    const { answerLimit } = this.#options;
    const { promise, resolve, reject } = Promise.withResolvers<Bytes | StreamedReply>();
    let status = 0;
    let length = 0;
    let stream: Readable | undefined;
    let abort: (error?: Error) => void = () => undefined;
    const chunks: Buffer[] = [];
    const fits = (bytes: number): boolean => {
      if (exceeds(bytes, answerLimit)) abort(tooLarge(answerLimit));
      return !exceeds(bytes, answerLimit);
    };
    this.#connections().dispatch(
      { method: "POST", path: "/v1/graphql", headers, body },
      {
        onConnect: (cancel) => void (abort = cancel),
        onHeaders(code, fields) {
          status = code;
          const announced = lengthIn(fields);
          if (!fits(announced)) return false;
          if (status === 200 && announced > longestCopied) {
            stream = new Readable({ read: () => undefined }).on("error", () => undefined);
            resolve({ length: announced, body: stream });
          }
          return true;
        },
        onData(chunk) {
          if (stream !== undefined) stream.push(chunk);
          else chunks.push(chunk);
          length += chunk.length;
          return fits(length);
        },
        onComplete() {
          if (stream !== undefined) stream.push(null);
          else if (status === 200) resolve(piecesOf(chunks, length));
          else reject(unanswered(new Error(`status ${status}`)));
          onEnd();
        },
        onError(thrown) {
          const error = thrown instanceof EngineError ? thrown : unanswered(thrown);
          stream?.destroy(error);
          reject(error);
          onEnd();
        },
      },
    );
    return promise;
  }
}

const newPool = ({ url, connections, patience }: UpstreamOptions): Pool =>
  new Pool(url, {
    connections,
    pipelining: 1,
    keepAliveTimeout,
    connectTimeout,
    headersTimeout: patience,
    bodyTimeout: patience,
  });

/** Short answers as strings, which frees the buffers of the socket at once. */
function piecesOf(chunks: readonly Buffer[], length: number): Bytes {
  return length <= longestCopied ? chunks.map((chunk) => byteString(chunk)) : chunks;
}

/** Value of the header content-length among raw names and values; 0 without one. */
function lengthIn(fields: readonly Buffer[] | null): number {
  const at = (fields ?? []).findIndex(
    (field, index) => index % 2 === 0 && field.toString().toLowerCase() === "content-length",
  );
  return at === -1 ? 0 : Number(fields?.[at + 1]?.toString());
}

function startsWithErrors(piece: Bytes[number]): boolean {
  const start = typeof piece === "string" ? Buffer.from(piece.slice(0, failed.length), "latin1") : piece;
  return lengthOf([piece]) >= failed.length && start.subarray(0, failed.length).equals(failed);
}

interface ForwardedReply {
  readonly errors?: readonly { readonly message?: string; readonly extensions?: { path?: string; code?: string } }[];
}

/** Hasura's error as it wrote it; code and path serve the log and clients of WebSockets. */
function forwarded(reply: string): EngineError {
  const [error] = (JSON.parse(reply) as ForwardedReply).errors ?? [];
  return new EngineError({ ...errorOf(error), reply });
}

/**
 * The same error with status 503, if the database or Hasura causes it: a statement of a lost database fails at Hasura like any other, and requests
 * wait for a silent one until the slots of the front are taken.
 */
export async function outageOf(error: unknown, upstream: Pick<Upstream, "cause">): Promise<unknown> {
  if (!(error instanceof EngineError)) return error;
  const { code, path, message, reply } = error;
  const isFailure = code === "unexpected" && reply !== undefined;
  if (!isFailure && error.reason !== "wait") return error;
  const reason = await upstream.cause();
  if (reason === undefined) return error;
  if (isFailure) return new EngineError({ code, path, message, reply, status: 503, reason, cause: error });
  return reason === "database" ? databaseLost(error, message, error.retryAfter) : unanswered(error);
}

/** Hasura's codes for a database that does not answer. Their status at Hasura is 200. */
const outageCodes: ReadonlySet<string> = new Set(["postgres-error", "postgres-max-connections-error"]);

/** An error in Hasura's form. */
export function errorOf(error: unknown): EngineErrorInit {
  const { message = "the operation failed", extensions = {} } = (error ?? {}) as NonNullable<
    ForwardedReply["errors"]
  >[number];
  const { path = "$", code = "unexpected" } = extensions;
  const outage = outageCodes.has(code) ? ({ status: 503, reason: "database" } as const) : {};
  return { code: code as EngineErrorCode, path, message, ...outage };
}

export function unanswered(cause: Error): EngineError {
  const message = "the engine does not answer. Repeat the request later";
  return new EngineError({ code: "unexpected", status: 503, reason: "upstream", message, cause });
}

function tooLarge(limit: number): EngineError {
  const message = `the answer is larger than the limit of ${limit} bytes. Request less at once`;
  return new EngineError({ code: "unexpected", message });
}
