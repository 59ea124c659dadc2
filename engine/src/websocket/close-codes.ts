/** A close code with its reason (RFC 6455 section 7.1.6). */
export interface Close {
  readonly code: number;
  readonly reason: string;
}

/** A close frame's payload is at most 125 bytes, two of which are the code. */
const longestReason = 123;

/** Hasura's form of a reason, truncated at a character to the size of a close frame. */
function serverError(code: number, message: string): Close {
  let text = message;
  let reason = JSON.stringify({ server_error_msg: text });
  while (Buffer.byteLength(reason) > longestReason) {
    text = text.slice(0, -1);
    reason = JSON.stringify({ server_error_msg: `${text}…` });
  }
  return { code, reason };
}

export const closes = {
  terminated: { code: 1000, reason: "GQL_CONNECTION_TERMINATE received" },
  initTimeoutLegacy: { code: 1011, reason: "Connection initialisation timed out" },
  initTimeout: { code: 4408, reason: "Connection initialisation timed out" },
  serverStateChanged: { code: 1012, reason: "Server state changed, restarting the server" },
  shuttingDown: { code: 1012, reason: "shutting server down" },
  /** Hasura's message, followed by the reason. */
  subscriptionsTooLarge: { code: 1013, reason: "the subscriptions of this client hold too many bytes" },
  forbidden: (message: string): Close => serverError(4403, `4403: Forbidden: ${message}`),
  /** Not one of the codes after which graphql-ws stops: it reconnects with a new token. */
  tokenExpired: serverError(4403, "4403: the access token has expired"),
  tooManyInitialisations: serverError(4429, "4429: Too many initialisation requests"),
  badMessage: (detail: string): Close => serverError(4400, `4400: Parsing client message failed: ${detail}`),
  initFailed: (message: string): Close => serverError(4400, `4400: Connection initialization failed: ${message}`),
  startFailed: (message: string): Close => ({ ...serverError(4400, `4400: ${message}`), code: 1000 }),
} as const satisfies Record<string, Close | ((text: string) => Close)>;
