import { Readable } from "node:stream";
import { Pool } from "undici";
import type { Session } from "../../engine.ts";
import { EngineError, type EngineErrorCode } from "../../errors.ts";
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

/** The start of a reply without data. */
const failed = Buffer.from('{"errors"');

/** Hasura's HTTP API, over connections that stay open. */
export class Upstream {
  readonly #options: UpstreamOptions;
  #pool: Pool;
  #poolSince = performance.now();

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
    const { statusCode, body } = await this.#connections().request({ method: "GET", path: "/healthz" });
    await body.dump();
    if (statusCode !== 200) throw new Error(`Hasura's health check answers ${statusCode}`);
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

/** An error in Hasura's form. */
export function errorOf(error: unknown): { code: EngineErrorCode; path: string; message: string } {
  const { message = "the operation failed", extensions = {} } = (error ?? {}) as NonNullable<
    ForwardedReply["errors"]
  >[number];
  const { path = "$", code = "unexpected" } = extensions;
  return { code: code as EngineErrorCode, path, message };
}

export function unanswered(cause: Error): EngineError {
  const message = "the engine does not answer. Repeat the request later";
  return new EngineError({ code: "unexpected", status: 503, message, cause });
}

function tooLarge(limit: number): EngineError {
  const message = `the answer is larger than the limit of ${limit} bytes. Request less at once`;
  return new EngineError({ code: "unexpected", message });
}
