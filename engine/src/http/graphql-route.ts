import type { IncomingMessage, ServerResponse } from "node:http";
import type { Authenticator } from "../auth/authenticator.ts";
import type { GraphQLRequest, Session } from "../engine.ts";
import { EngineError, errorReply, toEngineError } from "../errors.ts";
import { LightCancellation, type Cancellation } from "../cancellation.ts";
import type { ErrorLog } from "../operation/error-log.ts";
import { bytesOf, type Bytes } from "../postgres/bytes.ts";
import { BodyError, readBody } from "./body.ts";
import { ClientLeft } from "./client-left.ts";
import type { GraphQLExecution } from "./graphql-execution.ts";
import { parseGraphQLRequest, persistedQueryRefused } from "./graphql-request.ts";
import type { ShowsInternal } from "./internal-detail.ts";
import { parseJson } from "./json-body.ts";
import type { Reply } from "./reply.ts";

export interface GraphQLRouteOptions {
  readonly authenticator: Authenticator;
  readonly execution: GraphQLExecution;
  /** Bytes. */
  readonly bodyLimit: number;
  /** Requests in one batch. */
  readonly batchLimit: number;
  /** Hasura's preserve-401-errors. */
  readonly preserves401: boolean;
  readonly showsInternal: ShowsInternal;
  readonly logError: ErrorLog;
}

/** Answers one POST, and refuses a GET as Hasura does: it stands for a query that the server keeps. `keepsStatus`: errors keep their own status (`/v1alpha1/graphql`); otherwise they are 200 like Hasura's. */
export type GraphQLRoute = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  keepsStatus: boolean,
) => Promise<Reply>;

interface Answer {
  readonly text: string | Bytes;
  readonly status: number;
}

export function createGraphQLRoute(options: GraphQLRouteOptions): GraphQLRoute {
  const { authenticator, execution, bodyLimit, batchLimit, preserves401, showsInternal, logError } = options;

  function failure(thrown: unknown, id: string, session?: Session): Answer {
    const error = toEngineError(thrown);
    logError(error, { requestId: id, role: session?.role });
    return { text: errorReply(error, session !== undefined && showsInternal(session, error)), status: error.status };
  }

  async function answerOne(asked: GraphQLRequest, session: Session, signal: Cancellation, id: string): Promise<Answer> {
    try {
      return { text: await execution.run(asked, session, signal), status: 200 };
    } catch (error) {
      signal.throwIfAborted();
      return failure(error, id, session);
    }
  }

  async function answerBatch(payloads: readonly unknown[], session: Session, signal: Cancellation, id: string): Promise<Answer> {
    if (payloads.length > batchLimit) {
      const message = `a batch may hold at most ${String(batchLimit)} requests`;
      return failure(new EngineError({ code: "bad-request", message }), id, session);
    }
    // One that is no request makes the whole batch none, as in Hasura.
    const requests = payloads.map((payload, index) => parseGraphQLRequest(payload, `$[${String(index)}]`));
    const answers: Answer[] = [];
    for (const asked of requests) answers.push(await answerOne(asked, session, signal, id));
    const busy = answers.length > 0 && answers.every(({ status }) => status === 503);
    return { text: listOf(answers), status: busy ? 503 : 200 };
  }

  async function answer(request: IncomingMessage, signal: Cancellation, id: string): Promise<Answer> {
    let session: Session | undefined;
    try {
      const authentication = authenticator.authenticate(request.headers);
      ({ session } = authentication instanceof Promise ? await authentication : authentication);
      if (request.method === "GET") throw persistedQueryRefused();
      const payload = parseJson(await readBody(request, bodyLimit));
      return Array.isArray(payload)
        ? await answerBatch(payload, session, signal, id)
        : await answerOne(parseGraphQLRequest(payload), session, signal, id);
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BodyError) {
        return { text: errorReply(new EngineError({ code: "bad-request", message: error.message })), status: error.status };
      }
      return failure(error, id, session);
    }
  }

  return async (request, response, id, keepsStatus): Promise<Reply> => {
    const left = new LightCancellation();
    response.on("close", () => {
      if (!response.writableFinished) left.abort(new ClientLeft());
    });
    const { text, status } = await answer(request, left, id);
    if (status === 503) return { status, text, headers: { "retry-after": "1" } };
    if (status === 413 || status === 415) return { status, text, headers: { connection: "close" } };
    return { status: keepsStatus || (status === 401 && preserves401) ? status : 200, text };
  };
}

const comma = Buffer.from(",");

/** The answers of a batch as one JSON array. */
function listOf(answers: readonly Answer[]): Bytes {
  const items = answers.flatMap(({ text }) => [comma, ...(typeof text === "string" ? bytesOf(text) : text)]);
  return [Buffer.from("["), ...items.slice(1), Buffer.from("]")];
}
