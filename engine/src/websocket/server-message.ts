import type { LegacyError, SerializedError } from "../errors.ts";

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
  /** The code of an expired token, because the client needs a new one here, too. */
  tokenRevoked: serverError(4403, "4403: the access token is no longer accepted"),
  tooManyInitialisations: serverError(4429, "4429: Too many initialisation requests"),
  badMessage: (detail: string): Close => serverError(4400, `4400: Parsing client message failed: ${detail}`),
  initFailed: (message: string): Close => serverError(4400, `4400: Connection initialization failed: ${message}`),
  startFailed: (message: string): Close => ({ ...serverError(4400, `4400: ${message}`), code: 1000 }),
} as const satisfies Record<string, Close | ((text: string) => Close)>;

/** The server's messages in one of the two protocols. Frames are JSON texts; `id` is the operation's id as JSON. */
export interface Dialect {
  readonly protocol: "graphql-ws" | "graphql-transport-ws";
  /** Frames that answer `connection_init`. */
  readonly acknowledgement: readonly string[];
  readonly keepAlive: string;
  readonly initTimeout: Close;
  /** A reply text, `{"data":…}`. */
  data(id: string, text: string): string;
  /** A poll's reply text, `{"errors":…}`; the subscription continues. */
  failedData(id: string, text: string): string;
  /** An operation that ran and failed. */
  executionError(id: string, error: SerializedError | LegacyError): string;
  /** An operation that was rejected before execution. On `/v1alpha1/graphql` the error itself is the payload. */
  requestError(id: string, error: SerializedError | LegacyError): string;
  /** An operation that could not start at all: frames, then possibly the end of the connection. */
  startError(id: string, error: SerializedError): { readonly frame: string; readonly close?: Close };
  /** `connection_init` was rejected. */
  initError(message: string): { readonly frame?: string; readonly close: Close };
  /** An invalid frame: answered, or the end of the connection. */
  badMessage(detail: string): { readonly frame: string } | { readonly close: Close };
}

function frame(type: string, id: string, payload: string): string {
  return `{"type":"${type}","id":${id},"payload":${payload}}`;
}

export function completeFrame(id: string): string {
  return `{"type":"complete","id":${id}}`;
}

/** Messages that both protocols have. @param name of the message with an answer */
function answers(name: "data" | "next", errorsOf: (error: SerializedError | LegacyError) => unknown) {
  return {
    data: (id: string, text: string) => frame(name, id, text),
    // The answer of a failed operation always has `data` in Hasura's frames.
    failedData: (id: string, text: string) => frame(name, id, `{"data":null,${text.slice(1)}`),
    requestError: (id: string, error: SerializedError | LegacyError) =>
      frame("error", id, JSON.stringify("error" in error ? error : errorsOf(error))),
  };
}

const acknowledgement = '{"type":"connection_ack"}';
const legacyKeepAlive = '{"type":"ka"}';

/** The protocol of subscriptions-transport-ws (its repository's PROTOCOL.md), whose subprotocol is `graphql-ws`. */
export const legacyDialect: Dialect = {
  protocol: "graphql-ws",
  acknowledgement: [acknowledgement, legacyKeepAlive],
  keepAlive: legacyKeepAlive,
  initTimeout: closes.initTimeoutLegacy,
  ...answers("data", (error) => ({ errors: [error] })),
  executionError: (id, error) => frame("data", id, JSON.stringify({ data: null, errors: [error] })),
  startError: (id, error) => ({ frame: frame("error", id, JSON.stringify(error)) }),
  initError: (message) => ({ frame: connectionError(message), close: closes.initFailed(message) }),
  badMessage: (detail) => ({ frame: connectionError(detail) }),
};

function connectionError(payload: string): string {
  return JSON.stringify({ type: "connection_error", payload });
}

/** The protocol of the graphql-ws library, `graphql-transport-ws`, as Hasura implements it: a `complete` follows an `error`. */
export const transportDialect: Dialect = {
  protocol: "graphql-transport-ws",
  acknowledgement: [acknowledgement],
  keepAlive: '{"type":"ping","payload":{"message":"keepalive"}}',
  initTimeout: closes.initTimeout,
  ...answers("next", (error) => [error]),
  executionError: transportError,
  startError: (id, error) => ({ frame: transportError(id, error), close: closes.startFailed(error.message) }),
  initError: (message) => ({ close: closes.forbidden(message) }),
  badMessage: (detail) => ({ close: closes.badMessage(detail) }),
};

function transportError(id: string, error: SerializedError | LegacyError): string {
  return frame("error", id, JSON.stringify([error]));
}

/** The dialect of a negotiated subprotocol; everything but `graphql-transport-ws` is the legacy one. */
export function dialectOf(protocol: string): Dialect {
  return protocol === transportDialect.protocol ? transportDialect : legacyDialect;
}
