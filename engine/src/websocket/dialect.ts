import type { LegacyError, SerializedError } from "../errors.ts";
import { closes, type Close } from "./close-codes.ts";

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
  startError(id: string, error: SerializedError): { readonly frame: string; readonly close: Close | undefined };
  /** `connection_init` was rejected. */
  initError(message: string): { readonly frame: string | undefined; readonly close: Close };
  /** An invalid frame: answered, or the end of the connection. */
  badMessage(detail: string): { readonly frame: string } | { readonly close: Close };
}

const acknowledgement = '{"type":"connection_ack"}';

/** The answer of a failed operation always has `data` in Hasura's frames. */
function withNullData(errorsText: string): string {
  return `{"data":null,${errorsText.slice(1)}`;
}

/**
 * The protocol of subscriptions-transport-ws, whose subprotocol is `graphql-ws`.
 * @see https://github.com/apollographql/subscriptions-transport-ws/blob/master/PROTOCOL.md
 */
export const legacyDialect: Dialect = {
  protocol: "graphql-ws",
  acknowledgement: [acknowledgement, '{"type":"ka"}'],
  keepAlive: '{"type":"ka"}',
  initTimeout: closes.initTimeoutLegacy,
  data: (id, text) => `{"type":"data","id":${id},"payload":${text}}`,
  failedData: (id, text) => `{"type":"data","id":${id},"payload":${withNullData(text)}}`,
  executionError: (id, error) =>
    `{"type":"data","id":${id},"payload":${JSON.stringify({ data: null, errors: [error] })}}`,
  requestError: (id, error) =>
    `{"type":"error","id":${id},"payload":${JSON.stringify("error" in error ? error : { errors: [error] })}}`,
  startError: (id, error) => ({
    frame: `{"type":"error","id":${id},"payload":${JSON.stringify(error)}}`,
    close: undefined,
  }),
  initError: (message) => ({
    frame: JSON.stringify({ type: "connection_error", payload: message }),
    close: closes.initFailed(message),
  }),
  badMessage: (detail) => ({ frame: JSON.stringify({ type: "connection_error", payload: detail }) }),
};

/**
 * The protocol of the graphql-ws library, `graphql-transport-ws`, as Hasura implements it: a `complete` follows an `error`.
 * @see https://github.com/enisdenjo/graphql-ws/blob/master/PROTOCOL.md
 */
export const transportDialect: Dialect = {
  protocol: "graphql-transport-ws",
  acknowledgement: [acknowledgement],
  keepAlive: '{"type":"ping","payload":{"message":"keepalive"}}',
  initTimeout: closes.initTimeout,
  data: (id, text) => `{"type":"next","id":${id},"payload":${text}}`,
  failedData: (id, text) => `{"type":"next","id":${id},"payload":${withNullData(text)}}`,
  executionError: (id, error) => transportError(id, error),
  requestError: (id, error) =>
    "error" in error ? `{"type":"error","id":${id},"payload":${JSON.stringify(error)}}` : transportError(id, error),
  startError: (id, error) => ({ frame: transportError(id, error), close: closes.startFailed(error.message) }),
  initError: (message) => ({ frame: undefined, close: closes.forbidden(message) }),
  badMessage: (detail) => ({ close: closes.badMessage(detail) }),
};

function transportError(id: string, error: SerializedError | LegacyError): string {
  return `{"type":"error","id":${id},"payload":${JSON.stringify([error])}}`;
}

export function completeFrame(id: string): string {
  return `{"type":"complete","id":${id}}`;
}

/** The dialect of a negotiated subprotocol; everything but `graphql-transport-ws` is the legacy one. */
export function dialectOf(protocol: string): Dialect {
  return protocol === transportDialect.protocol ? transportDialect : legacyDialect;
}
