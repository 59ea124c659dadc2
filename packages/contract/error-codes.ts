/** Every error code of the gateway and the sidecar, with status and sentence. The engine's own errors follow Hasura. */
export interface ErrorDescription {
  readonly status: number;
  /** Text for the client; a full sentence without secrets. */
  readonly sentence: string;
  /** Advice for the client or the operator; only for docs/reference/error-codes.md. */
  readonly remedy: string;
}

export const errorCodes = {
  "malformed-request": {
    status: 400,
    sentence: "The request is malformed.",
    remedy: "Send a well-formed HTTP request.",
  },
  "https-required": {
    status: 400,
    sentence: "This port accepts only HTTPS.",
    remedy: "Use https. Replace passwords and tokens that you sent.",
  },
  "malformed-json": {
    status: 400,
    sentence: "The body is not valid JSON.",
    remedy: "Send one JSON object as the body.",
  },
  "invalid-field": {
    status: 400,
    sentence: "A field of the body is missing or has the wrong type.",
    remedy: "Compare the body with [openapi.yaml](../../auth-sidecar/openapi.yaml).",
  },
  "wrong-service-key": {
    status: 401,
    sentence: "The x-service-api-key header is missing or wrong.",
    remedy: "Send `SERVICE_API_KEY` from `.routeql/<stack>/access.env`.",
  },
  "wrong-credentials": { status: 401, sentence: "wrong credentials", remedy: "Check the user name and the password." },
  "no-session": {
    status: 401,
    sentence: "There is no session, or it has ended.",
    remedy: "Log in again; send the session id in the cookie sid.",
  },
  "no-access": {
    status: 403,
    sentence: "This account has no access.",
    remedy: "Ask the operator to enable the account or to set its role.",
  },
  "not-found": { status: 404, sentence: "This path does not exist.", remedy: "Check the path." },
  "method-not-allowed": {
    status: 405,
    sentence: "This path does not support this method.",
    remedy: "Use a method from the Allow header of the reply.",
  },
  "request-timeout": {
    status: 408,
    sentence: "The request timed out before it was complete.",
    remedy: "Send the request without pauses.",
  },
  "payload-too-large": {
    status: 413,
    sentence: "The body is too large.",
    remedy: "Send less, or raise bodyLimitKilobytes.",
  },
  "uri-too-long": {
    status: 414,
    sentence: "The URL of the request is too long.",
    remedy: "Send parameters in the body.",
  },
  "unsupported-media-type": {
    status: 415,
    sentence: "The body must be application/json.",
    remedy: "Send Content-Type: application/json.",
  },
  "too-many-requests": {
    status: 429,
    sentence: "There were too many requests.",
    remedy: "Wait for the seconds in Retry-After.",
  },
  "headers-too-large": {
    status: 431,
    sentence: "The headers of the request are too large.",
    remedy: "Send fewer or shorter headers.",
  },
  internal: {
    status: 500,
    sentence: "An internal error occurred.",
    remedy: "Send x-request-id from the reply to the operator.",
  },
  "ldap-not-configured": {
    status: 503,
    sentence: "No directory is configured for the LDAP login.",
    remedy: "Log in with local credentials.",
  },
  unavailable: {
    status: 503,
    sentence: "The service is temporarily unavailable.",
    remedy: "Retry after the seconds in Retry-After.",
  },
} as const satisfies Record<string, ErrorDescription>;

export type ErrorCode = keyof typeof errorCodes;

export interface EngineErrorRow {
  readonly status: number;
  readonly meaning: string;
  readonly remedy: string;
}

/** docs/reference/error-codes.md: the codes of the gateway and the auth sidecar, then those of the engine. */
export function renderErrorDocument(engine: Readonly<Record<string, EngineErrorRow | undefined>>): string {
  const rows = Object.entries(errorCodes).map(([code, { status, remedy }]) => `- \`${code}\` (${status}): ${remedy}`);
  return [
    "# Error codes",
    "",
    "<!-- Generated from packages/contract/error-codes.ts and engine/src/errors.ts by `npm run documents`; do not edit. -->",
    "",
    'The gateway and the auth sidecar answer `{"error": <sentence>, "code": <code>}` with `Cache-Control: no-store`. 429 and 503 carry `Retry-After`,',
    '405 carries `Allow`. The single-step flow answers wrong credentials with exactly `{"error": "wrong credentials"}`.',
    "",
    ...rows,
    "",
    "## Codes of the engine",
    "",
    'The engine answers in Hasura\'s form: `{"errors": [{"message", "extensions": {"path", "code"}}]}`. `message` has the reason and `path` the place in the query.',
    "The status below applies to clients that accept `application/graphql-response+json`. Other clients get Hasura's status: 200, except for 413, 415 and 503.",
    "",
    ...Object.entries(engine).flatMap(([code, row]) =>
      row === undefined ? [] : [`- \`${code}\` (${row.status}): ${row.meaning} ${row.remedy}`],
    ),
    "",
  ].join("\n");
}
