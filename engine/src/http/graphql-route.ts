import type { IncomingMessage, ServerResponse } from "node:http";
import type { Span } from "@routeql/tracing/span";
import type { Authentication, Authenticator } from "../auth/authenticator.ts";
import { revokedToken } from "../auth/token-verifier.ts";
import { type Cancellation, ClientLeft, LightCancellation } from "../cancellation.ts";
import { exceeds } from "../cost/limits.ts";
import type { Turns } from "../cost/turns.ts";
import type { WaitingBytes } from "../cost/waiting-bytes.ts";
import type { GraphQLRequest, Session } from "../engine.ts";
import { EngineError, errorReply, toEngineError } from "../errors.ts";
import { type StreamedReply, wholeReply } from "../executor.ts";
import { BodyError, parseJson, readBody } from "./body.ts";
import type { GraphQLExecution, ShowsInternal } from "./graphql-execution.ts";
import { parseGraphQLRequest, persistedQueryRefused } from "./graphql-request.ts";
import type { Reply } from "./reply.ts";
import type { ErrorLog } from "./request-log.ts";
import { type Bytes, bytesOf, lengthOf } from "../postgres/bytes.ts";

/** Media type of the GraphQL over HTTP specification; its replies have status codes of their own. */
const graphqlResponseType = "application/graphql-response+json";

/**
 * Whether a client prefers {@link graphqlResponseType}: its Accept header (RFC 9110, 12.5.1) contains the type and gives JSON no higher
 * weight. Other clients get `application/json` with Hasura's status codes.
 */
export function prefersGraphqlResponse(accept: string | undefined): boolean {
  if (accept === undefined || !/graphql-response/i.test(accept)) return false;
  const weights = new Map(accept.split(",").map((range) => weighed(range)));
  const weight = weights.get(graphqlResponseType) ?? 0;
  return weight > 0 && weight >= (weights.get("application/json") ?? 0);
}

/** Whether the Accept header names `application/json` itself. GraphQL over HTTP then requires 400 for a body that is not JSON; Hasura answers 200. */
function namesJson(accept: string | undefined): boolean {
  return accept !== undefined && accept.split(",").some((range) => weighed(range)[0] === "application/json");
}

/** A media range, without its parameters, and its weight. */
function weighed(range: string): readonly [type: string, weight: number] {
  const [type = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase());
  const quality = parameters.find((parameter) => parameter.startsWith("q="));
  return [type, quality === undefined ? 1 : Number(quality.slice(2)) || 0];
}

export interface GraphQLRouteOptions {
  readonly authenticator: Authenticator;
  readonly execution: GraphQLExecution;
  /** In bytes. */
  readonly bodyLimit: number;
  /** Maximum number of requests in one batch. */
  readonly batchLimit: number;
  /** Hasura's preserve-401-errors. */
  readonly preserves401: boolean;
  readonly showsInternal: ShowsInternal;
  readonly logError: ErrorLog;
  readonly turns: Turns;
  readonly waitingBytes: WaitingBytes;
  /** Limit of the replies of one batch, in bytes. */
  readonly answerLimit: number;
}

/**
 * Answers one POST. Rejects GET as Hasura does, because GET refers to a persisted query. With `keepsStatus`, errors have their own status
 * (`/v1alpha1/graphql`); otherwise 200, as in Hasura.
 */
export type GraphQLRoute = (
  request: IncomingMessage,
  response: ServerResponse,
  id: string,
  options?: { readonly keepsStatus?: boolean; readonly span?: Span | undefined },
) => Promise<Reply>;

interface Answer<Text = string | Bytes | StreamedReply> {
  /** Client whose memory account the reply counts on until it is sent. */
  readonly client?: string | undefined;
  readonly text: Text;
  readonly status: number;
  /** The credentials were missing or rejected. */
  readonly isUnauthenticated?: boolean;
  /** The body is not JSON, so it is not a GraphQL request. */
  readonly isMalformed?: boolean;
  readonly role?: string | undefined;
  readonly errors?: readonly string[] | undefined;
}

/** One HTTP request. */
interface Asking {
  readonly id: string;
  /** Aborts when the client leaves. */
  readonly signal: Cancellation;
  /** Disconnects the client. */
  readonly cut: () => void;
  readonly span: Span | undefined;
}

/** A session with the check whether its token still holds: a slow body or a long batch takes time. */
type Held = Pick<Authentication, "session" | "isRevoked">;

export function createGraphQLRoute(options: GraphQLRouteOptions): GraphQLRoute {
  const {
    authenticator,
    execution,
    bodyLimit,
    batchLimit,
    preserves401,
    showsInternal,
    logError,
    turns,
    waitingBytes,
    answerLimit,
  } = options;

  function failure(thrown: unknown, id: string, session?: Session): Answer<string> {
    const error = toEngineError(thrown);
    logError(error, { requestId: id, role: session?.role });
    const isUnauthenticated = session === undefined && error.status < 500;
    return {
      text: errorReply(error, session !== undefined && showsInternal(session, error)),
      status: error.status,
      isUnauthenticated,
      isMalformed: error.code === "invalid-json",
      errors: [error.code],
      role: session?.role,
    };
  }

  /** @param settle what the answer holds of the reply */
  async function answerOne<Text>(
    asked: GraphQLRequest,
    { session, isRevoked }: Held,
    { signal, id, span }: Asking,
    settle: (reply: Bytes | StreamedReply) => Text | Promise<Text>,
  ): Promise<Answer<string | Text>> {
    try {
      const work = async (): Promise<Text> => {
        // The client may have left while its work waited for a turn.
        signal.throwIfAborted();
        if (isRevoked()) throw revokedToken();
        return settle(await execution.run(asked, session, { signal, span, requestId: id }));
      };
      return { text: await turns.run(session.client ?? session.role, work), status: 200 };
    } catch (error) {
      signal.throwIfAborted();
      return failure(error, id, session);
    }
  }

  async function answerOneOfBatch(asked: GraphQLRequest, held: Held, asking: Asking): Promise<Answer<string | Bytes>> {
    const span = asking.span?.child("GraphQL operation", "internal");
    try {
      return await answerOne(asked, held, { ...asking, span }, wholeReply);
    } finally {
      span?.end();
    }
  }

  async function answerBatch(payloads: readonly unknown[], held: Held, asking: Asking): Promise<Answer> {
    const { session } = held;
    const { id, cut } = asking;
    if (payloads.length > batchLimit) {
      const message = `a batch may hold at most ${String(batchLimit)} requests`;
      return failure(new EngineError({ code: "bad-request", message }), id, session);
    }
    // One malformed request rejects the whole batch, as in Hasura.
    const requests = payloads.map((payload, index) => parseGraphQLRequest(payload, `$[${String(index)}]`));
    const answers: Answer<string | Bytes>[] = [];
    const hold = waitingBytes.hold(() => session.client ?? session.role, cut);
    let bytes = 0;
    try {
      for (const asked of requests) {
        const answered = exceeds(bytes, answerLimit)
          ? failure(tooLarge(answerLimit), id, session)
          : await answerOneOfBatch(asked, held, asking);
        answers.push(answered);
        bytes += typeof answered.text === "string" ? answered.text.length : lengthOf(answered.text);
        hold.set(bytes);
      }
    } finally {
      hold.release();
    }
    const busy = answers.length > 0 && answers.every(({ status }) => status === 503);
    const errors = new Set(answers.flatMap((answered) => answered.errors ?? []));
    return { text: listOf(answers), status: busy ? 503 : 200, errors: errors.size === 0 ? undefined : [...errors] };
  }

  async function answer(request: IncomingMessage, asking: Asking): Promise<Answer> {
    const { signal, id } = asking;
    let session: Session | undefined;
    try {
      const authentication = authenticator.authenticate(request.headers);
      const held = authentication instanceof Promise ? await authentication : authentication;
      session = held.session;
      if (request.method === "GET") throw persistedQueryRefused();
      const body = await readBody(request, bodyLimit);
      const client = session.client ?? session.role;
      const parsed = turns.run(client, () => parseJson(body));
      const payload: unknown = parsed instanceof Promise ? await parsed : parsed;
      const answered = Array.isArray(payload)
        ? await answerBatch(payload, held, asking)
        : await answerOne(parseGraphQLRequest(payload), held, asking, (reply) => reply);
      return { ...answered, client, role: session.role };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof BodyError) {
        const text = errorReply(new EngineError({ code: "bad-request", message: error.message }));
        return { text, status: error.status, errors: ["bad-request"], role: session?.role };
      }
      return failure(error, id, session);
    }
  }

  return async (request, response, id, { keepsStatus = false, span } = {}): Promise<Reply> => {
    const left = new LightCancellation();
    response.on("close", () => {
      if (!response.writableFinished) left.abort(new ClientLeft());
    });
    const cut = (): void => void response.destroy();
    const answered = await answer(request, { signal: left, id, cut, span });
    const { text, status, client, isUnauthenticated, isMalformed, role, errors } = answered;
    const headers = headersOf(status);
    if (!keepsStatus && prefersGraphqlResponse(request.headers.accept)) {
      const contentType = `${graphqlResponseType}; charset=utf-8`;
      return { status: isUnauthenticated === true ? 401 : status, text, client, role, errors, contentType, headers };
    }
    if (headers !== undefined) return { status, text, client, role, errors, headers };
    const keeps =
      keepsStatus || (status === 401 && preserves401) || (isMalformed === true && namesJson(request.headers.accept));
    return { status: keeps ? status : 200, text, client, role, errors };
  };
}

/** Headers that accompany certain statuses for every client. */
function headersOf(status: number): Readonly<Record<string, string>> | undefined {
  if (status === 503) return { "retry-after": "1" };
  return status === 413 || status === 415 ? { connection: "close" } : undefined;
}

function tooLarge(limit: number): EngineError {
  return new EngineError({
    code: "bad-request",
    message: `the answers of the batch hold more than ${String(limit)} bytes. Send fewer requests at once`,
  });
}

const comma = Buffer.from(",");

/** The replies of a batch as one JSON array. */
function listOf(answers: readonly Answer<string | Bytes>[]): Bytes {
  const items = answers.flatMap(({ text }) => [comma, ...(typeof text === "string" ? bytesOf(text) : text)]);
  return [Buffer.from("["), ...items.slice(1), Buffer.from("]")];
}
