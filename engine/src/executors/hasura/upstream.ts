import { Pool } from "undici";
import type { Session } from "../../engine.ts";
import { EngineError, type EngineErrorCode } from "../../errors.ts";
import { exceeds } from "../../cost/limits.ts";
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

const connectTimeout = 2_000;

/** The start of a reply without data. */
const failed = Buffer.from('{"errors"');

/** Hasura's HTTP API, over connections that stay open. */
export class Upstream {
  readonly #options: UpstreamOptions;
  readonly #pool: Pool;

  constructor(options: UpstreamOptions) {
    this.#options = options;
    this.#pool = new Pool(options.url, {
      connections: options.connections,
      pipelining: 1,
      keepAliveTimeout,
      connectTimeout,
      headersTimeout: options.patience,
      bodyTimeout: options.patience,
    });
  }

  /** The answer to one operation. @throws EngineError for Hasura's own error, with its reply, and for every failure to get an answer */
  async ask(body: string, session: Session): Promise<Bytes> {
    const { status, bytes } = await this.#post(body, {
      ...sessionHeaders(session, this.#options.adminSecret),
      "content-type": "application/json",
    });
    if (status !== 200) throw unanswered(new Error(`status ${status}`));
    const [first] = bytes;
    if (first !== undefined && startsWithErrors(first)) throw forwarded(textOf(bytes));
    return bytes;
  }

  /** @throws Error when Hasura is not healthy */
  async ping(): Promise<void> {
    const { statusCode, body } = await this.#pool.request({ method: "GET", path: "/healthz" });
    await body.dump();
    if (statusCode !== 200) throw new Error(`Hasura's health check answers ${statusCode}`);
  }

  async close(): Promise<void> {
    await this.#pool.close();
  }

  #post(body: string, headers: Record<string, string>): Promise<{ status: number; bytes: Bytes }> {
    const { answerLimit } = this.#options;
    return new Promise((resolve, reject) => {
      let status = 0;
      let length = 0;
      let abort: (error?: Error) => void = () => undefined;
      const chunks: Buffer[] = [];
      this.#pool.dispatch(
        { method: "POST", path: "/v1/graphql", headers, body },
        {
          onConnect: (cancel) => void (abort = cancel),
          onHeaders(code) {
            status = code;
            return true;
          },
          onData(chunk) {
            length += chunk.length;
            chunks.push(chunk);
            if (!exceeds(length, answerLimit)) return true;
            abort(tooLarge(answerLimit));
            return false;
          },
          onComplete: () => resolve({ status, bytes: piecesOf(chunks, length) }),
          onError: (error) => reject(error instanceof EngineError ? error : unanswered(error)),
        },
      );
    });
  }
}

/** Short answers as one string, which frees the buffers of the socket at once. */
function piecesOf(chunks: readonly Buffer[], length: number): Bytes {
  return length <= longestCopied ? chunks.map((chunk) => byteString(chunk)) : chunks;
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

function unanswered(cause: Error): EngineError {
  const message = "the engine does not answer. Repeat the request later";
  return new EngineError({ code: "unexpected", status: 503, message, cause });
}

function tooLarge(limit: number): EngineError {
  const message = `the answer is larger than the limit of ${limit} bytes. Request less at once`;
  return new EngineError({ code: "unexpected", message });
}
