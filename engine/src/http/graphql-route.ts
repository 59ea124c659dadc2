import type { IncomingMessage, ServerResponse } from "node:http";
import type { Span } from "@routeql/tracing/span";
import type { Authentication } from "../auth/authenticator.ts";
import { forwardedFor, headerValue } from "../auth/request-headers.ts";
import { revokedToken } from "../auth/token-verifier.ts";
import { type Cancellation, ClientLeft, LightCancellation } from "../cancellation.ts";
import { exceeds } from "../cost/limits.ts";
import type { GraphQLRequest, Session } from "../engine.ts";
import { EngineError, errorReply } from "../errors.ts";
import { type StreamedReply, wholeReply } from "../executor.ts";
import { type Bytes, bytesOf, jsonArray, lengthOf } from "../postgres/bytes.ts";
import { parseJson, readBody } from "./body.ts";
import { clientOf, execute, fail, type Front, type Held } from "./graphql-execution.ts";
import { parseGraphQLRequest, persistedQueryRefused } from "./graphql-request.ts";
import type { Reply } from "./reply.ts";
import type { Route } from "./server.ts";

/** Media type of the GraphQL over HTTP specification; its replies have status codes of their own. */
const graphqlResponseType = "application/graphql-response+json";

/** Whether a client prefers {@link graphqlResponseType} (RFC 9110, 12.5.1). Others get `application/json` with Hasura's status codes. */
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
  /** In bytes. */
  readonly bodyLimit: number;
  readonly batchLimit: number;
  /** Limit of the replies of one batch, in bytes. */
  readonly answerLimit: number;
  /** Hasura's preserve-401-errors. */
  readonly preserves401: boolean;
  /** Errors have their own status, as on `/v1alpha1/graphql`; otherwise 200, as in Hasura. */
  readonly keepsStatus: boolean;
}

interface Answer<Text = string | Bytes | StreamedReply> {
  readonly text: Text;
  readonly status: number;
  /** Seconds, for status 503. */
  readonly retryAfter?: number;
  readonly isUnauthenticated?: boolean;
  /** The body is not JSON, so it is not a GraphQL request. */
  readonly isMalformed?: boolean;
  readonly errors?: readonly string[] | undefined;
}

/** One HTTP request. */
interface Asking {
  readonly id: string;
  readonly address: string | undefined;
  /** Aborts when the client leaves. */
  readonly signal: Cancellation;
  /** Disconnects the client. */
  readonly cut: () => void;
  readonly span: Span | undefined;
}

/** Answers one POST: authenticate, read, execute (which admits each operation), reply. Rejects GET, which would name a persisted query. */
export function createGraphQLRoute(front: Front, options: GraphQLRouteOptions): Route {
  return async (request, id, { response, span }) => {
    const address = headerValue(request.headers, forwardedFor);
    const asking = { id, address, signal: untilLeft(response), cut: () => void response.destroy(), span };
    let held: Authentication | undefined;
    let answer: Answer;
    try {
      held = await front.authenticator.authenticate(request.headers);
      const payload = await read(front, request, held.session, options.bodyLimit);
      answer = Array.isArray(payload)
        ? await executeBatch(front, payload, held, asking, options)
        : await executeOne(front, parseGraphQLRequest(payload), held, asking, (reply) => reply);
    } catch (error) {
      asking.signal.throwIfAborted();
      answer = failed(front, error, id, held?.session);
    }
    return replyOf(answer, held?.session, request.headers.accept, options);
  };
}

function untilLeft(response: ServerResponse): Cancellation {
  const left = new LightCancellation();
  response.on("close", () => {
    if (!response.writableFinished) left.abort(new ClientLeft());
  });
  return left;
}

/** The body as JSON. @throws EngineError */
async function read({ turns }: Front, request: IncomingMessage, session: Session, bodyLimit: number): Promise<unknown> {
  if (request.method === "GET") throw persistedQueryRefused();
  const body = await readBody(request, bodyLimit);
  return turns.run(clientOf(session), () => parseJson(body));
}

/** @param settle what the answer holds of the reply */
async function executeOne<Text>(
  front: Front,
  asked: GraphQLRequest,
  { session, isRevoked }: Held,
  { signal, id, address, span }: Asking,
  settle: (reply: Bytes | StreamedReply) => Text | Promise<Text>,
): Promise<Answer<string | Text>> {
  try {
    const text = await front.turns.run(clientOf(session), async () => {
      // The client may have left while its work waited for a turn.
      signal.throwIfAborted();
      if (isRevoked()) throw revokedToken();
      return settle(await execute(front, asked, session, { signal, span, requestId: id, address }));
    });
    return { text, status: 200 };
  } catch (error) {
    signal.throwIfAborted();
    return failed(front, error, id, session);
  }
}

/** The operations of a batch, one after the other. One malformed request rejects the whole batch, as in Hasura. */
async function executeBatch(
  front: Front,
  payloads: readonly unknown[],
  held: Held,
  asking: Asking,
  { batchLimit, answerLimit }: GraphQLRouteOptions,
): Promise<Answer> {
  if (payloads.length > batchLimit) throw refused(`a batch may hold at most ${String(batchLimit)} requests`);
  const requests = payloads.map((payload, index) => parseGraphQLRequest(payload, `$[${String(index)}]`));
  const answers: Answer<string | Bytes>[] = [];
  const hold = front.waitingBytes.hold(() => clientOf(held.session), asking.cut);
  let bytes = 0;
  try {
    for (const asked of requests) {
      const answer = exceeds(bytes, answerLimit)
        ? failed(front, tooLarge(answerLimit), asking.id, held.session)
        : await executeOneOfBatch(front, asked, held, asking);
      answers.push(answer);
      bytes += typeof answer.text === "string" ? answer.text.length : lengthOf(answer.text);
      hold.set(bytes);
    }
  } finally {
    hold.release();
  }
  const isBusy = answers.length > 0 && answers.every(({ status }) => status === 503);
  const errors = new Set(answers.flatMap((answer) => answer.errors ?? []));
  const text = jsonArray(
    answers.map((answer) => (typeof answer.text === "string" ? bytesOf(answer.text) : answer.text)),
  );
  const retryAfter = Math.max(1, ...answers.map((answer) => answer.retryAfter ?? 1));
  return { text, status: isBusy ? 503 : 200, retryAfter, errors: errors.size === 0 ? undefined : [...errors] };
}

async function executeOneOfBatch(
  front: Front,
  asked: GraphQLRequest,
  held: Held,
  asking: Asking,
): Promise<Answer<string | Bytes>> {
  const span = asking.span?.child("GraphQL operation", "internal");
  try {
    return await executeOne(front, asked, held, { ...asking, span }, wholeReply);
  } finally {
    span?.end();
  }
}

function failed(front: Front, thrown: unknown, id: string, session: Session | undefined): Answer<string> {
  const { error, showsInternal } = fail(front, thrown, id, session);
  return {
    text: errorReply(error, showsInternal),
    status: error.status,
    retryAfter: error.retryAfter,
    isUnauthenticated: session === undefined && error.status < 500,
    isMalformed: error.code === "invalid-json",
    errors: [error.label],
  };
}

function replyOf(
  { text, status, retryAfter, errors, isUnauthenticated = false, isMalformed = false }: Answer,
  session: Session | undefined,
  accept: string | undefined,
  { keepsStatus, preserves401 }: GraphQLRouteOptions,
): Reply {
  const client = session && clientOf(session);
  const reply = { text, client, role: session?.role, errors };
  if (!keepsStatus && prefersGraphqlResponse(accept)) {
    const sent = isUnauthenticated ? 401 : status;
    const contentType = `${graphqlResponseType}; charset=utf-8`;
    return { ...reply, status: sent, contentType, headers: headersOf(sent, retryAfter) };
  }
  const keeps =
    keepsStatus || keptStatuses.has(status) || (status === 401 && preserves401) || (isMalformed && namesJson(accept));
  const sent = keeps ? status : 200;
  return { ...reply, status: sent, headers: headersOf(sent, retryAfter) };
}

/** Statuses that every client gets, because a header belongs to them. */
const keptStatuses: ReadonlySet<number> = new Set([413, 415, 503]);

/** Headers that accompany certain statuses for every client. */
function headersOf(status: number, retryAfter = 1): Readonly<Record<string, string>> {
  if (status === 503) return { "retry-after": String(retryAfter) };
  // RFC 9110, 15.5.2
  if (status === 401) return { "www-authenticate": "Bearer" };
  return status === 413 || status === 415 ? { connection: "close" } : {};
}

function refused(message: string): EngineError {
  return new EngineError({ code: "bad-request", message });
}

function tooLarge(limit: number): EngineError {
  return refused(`the answers of the batch hold more than ${String(limit)} bytes. Send fewer requests at once`);
}
