import type { GraphQLSchema } from "graphql";
import type { TextRows } from "../../metadata/database.ts";

/** Values of session variables by their lower-case names. */
export type Variables = Readonly<Record<string, string>>;

export interface Failure {
  readonly code: string;
  readonly path: string;
  readonly message: string;
}

/** An answer: data with numbers as texts, or an error. */
export type Reply =
  | { readonly data: Readonly<Record<string, unknown>>; readonly failure?: undefined }
  | { readonly data?: undefined; readonly failure: Failure };

/** An engine that is verified. */
export interface Served extends AsyncDisposable {
  /** `running`: an engine at an address, which may also serve actions and remote schemas. */
  readonly kind: "embedded" | "running";
  /** The schema of a role; undefined if only introspection returns it. */
  schema(role: string): GraphQLSchema | undefined;
  /** Whether a request can carry the session. */
  takes(variables: Variables): boolean;
  /** For a subscription, the first answer. @throws Unanswered */
  ask(role: string, variables: Variables, document: string): Promise<Reply>;
  /** First answers of one live query for many sessions, or the reason why there is none. @throws Unanswered */
  askTogether(role: string, sessions: readonly Variables[], document: string): Promise<readonly (Reply | Unanswered)[]>;
  /** Runs a mutation, and `look` before and after it. The embedded engine stores nothing. @throws Unanswered */
  rehearse(role: string, variables: Variables, mutation: Mutation, look: string): Promise<Rehearsed>;
}

export interface Mutation {
  readonly query: string;
  readonly variables: Record<string, unknown>;
  /** Whether permissions with `backend_only` apply. */
  readonly isBackend: boolean;
}

export interface Rehearsed {
  readonly reply: Reply;
  readonly before: TextRows;
  readonly after: TextRows;
}

/** The engine or its database failed, so there is no answer to compare. */
export class Unanswered extends Error {}

/** The time of the whole verification is over. */
export class OutOfTime extends Error {}

/** A reply, or the reason why there is none. */
export const orUnanswered = (reply: Promise<Reply>): Promise<Reply | Unanswered> =>
  reply.catch((error: unknown) => {
    if (error instanceof Unanswered) return error;
    throw error;
  });

/** Codes of failures that are unrelated to permissions: the database failed or timed out, or the engine or database is overloaded. */
const faults: ReadonlySet<string> = new Set([
  "busy",
  "constraint-error",
  "postgres-error",
  "postgres-max-connections-error",
  "timeout",
  "unexpected",
]);

/** @throws Unanswered for a failure that is unrelated to permissions */
export function failureWith(failure: Failure, reason = failure.message): Failure {
  if (faults.has(failure.code)) throw new Unanswered(reason);
  return failure;
}

/** Parses JSON and keeps numbers as texts, so that none is rounded. */
export function parseExactly(text: string): unknown {
  return JSON.parse(text, (_key, value: unknown, context?: { readonly source?: string }) =>
    typeof value === "number" ? `#${context?.source ?? value}` : value,
  );
}

/** A GraphQL response whose numbers are texts. */
export interface ReplyBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions?: { readonly code?: string; readonly path?: string };
  }[];
}

/** A GraphQL response; undefined for other texts, such as the error of a gateway. */
export function responseIn(text: string): ReplyBody | undefined {
  try {
    const body = parseExactly(text);
    const isResponse = typeof body === "object" && body !== null && ("data" in body || "errors" in body);
    return isResponse ? (body as ReplyBody) : undefined;
  } catch {
    return undefined;
  }
}

/** @throws Unanswered */
export function replyFrom({ data, errors: [error] = [] }: ReplyBody): Reply {
  if (error === undefined) return { data: data ?? {} };
  const { code = "", path = "" } = error.extensions ?? {};
  return { failure: failureWith({ message: error.message, code, path }) };
}

/** A reply from the text of a GraphQL response. @throws Unanswered */
export const replyOf = (text: string): Reply => replyFrom(parseExactly(text) as ReplyBody);
