import type { EngineErrorCode } from "./errors.ts";

/** Advice for a GraphQL client about an error of the engine. */
export interface ClientError {
  /** Status in replies of the type `application/graphql-response+json`. Replies of the type `application/json` have 200, or 503 for `busy`. */
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** Error codes for GraphQL clients of the embedded engine, for docs/reference/error-codes.md. Hasura uses the same codes. */
export const clientErrors: Partial<Record<EngineErrorCode, ClientError>> = {
  "access-denied": {
    status: 401,
    meaning: "The master key is wrong, or the token does not allow the requested role.",
    remedy: "Check the key or the role.",
  },
  "invalid-headers": {
    status: 401,
    meaning: "The request has no `Authorization` header, or a malformed one.",
    remedy: "Send `Authorization: Bearer <token>`.",
  },
  "invalid-jwt": {
    status: 401,
    meaning: "The token has expired, or its signature is not valid.",
    remedy: "Request a new token and repeat the request.",
  },
  "jwt-invalid-claims": {
    status: 401,
    meaning: "The token lacks the claims of the engine.",
    remedy: "Use a token of this service.",
  },
  "invalid-json": { status: 400, meaning: "The body is not JSON.", remedy: "Send one JSON object." },
  "parse-failed": {
    status: 400,
    meaning: "`query`, `variables` or `operationName` is missing or has the wrong type.",
    remedy: "Compare the body with the message.",
  },
  "bad-request": {
    status: 400,
    meaning: "The request has a form that the engine does not accept, such as a batch that is too long.",
    remedy: "Follow the message.",
  },
  "validation-failed": {
    status: 400,
    meaning: "The query does not fit the schema of the role, has a syntax error, or exceeds a limit.",
    remedy:
      "Follow `extensions.path`. A column that is not found may be hidden from your role: [permissions](permissions.md).",
  },
  "data-exception": {
    status: 400,
    meaning: "Postgres rejected a value, such as a timestamp or prefix in another form.",
    remedy: "Correct the value.",
  },
  "not-supported": {
    status: 400,
    meaning: "The server does not support this feature.",
    remedy: "Send the query itself instead of a hash of it.",
  },
  "unexpected-payload": { status: 400, meaning: "A subscription came over HTTP.", remedy: "Use a WebSocket." },
  "start-failed": {
    status: 400,
    meaning: "WebSocket only: an operation came before `connection_ack`, its id is in use, or there are too many.",
    remedy: "Wait for `connection_ack` and use a new id.",
  },
  busy: { status: 503, meaning: "The engine has too much work.", remedy: "Repeat the request after `Retry-After`." },
  timeout: {
    status: 504,
    meaning: "The statement exceeded the time limit.",
    remedy: "Request fewer rows, a shorter period or less nesting.",
  },
  "postgres-error": {
    status: 500,
    meaning: "The database failed or is not reachable.",
    remedy: "Repeat the request later.",
  },
  unexpected: {
    status: 500,
    meaning: "The engine failed.",
    remedy: "Give the `x-request-id` header of the reply to the operator.",
  },
};
