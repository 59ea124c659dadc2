import { EngineError } from "../errors.ts";
import { parseExactJson } from "../exact-json.ts";
import { parseGraphQLRequest } from "../http/graphql-request.ts";
import type { GraphQLRequest } from "../engine.ts";

/** A client's message in either protocol. As in Hasura, every connection understands the names of both protocols. */
export type ClientMessage =
  | { readonly type: "init"; readonly headers: Readonly<Record<string, unknown>> }
  | {
      readonly type: "start";
      readonly id: string;
      /** Input of {@link parseStartPayload}. */ readonly payload: unknown;
    }
  | { readonly type: "stop"; readonly id: string }
  | { readonly type: "ping"; readonly payload: unknown }
  | { readonly type: "pong" }
  | { readonly type: "terminate" };

const longestId = 256;

/** Parses a text frame, without the request in it. @throws Error whose message starts like Hasura's. */
export function parseClientMessage(text: string): ClientMessage {
  return inHasurasWords(() => parse(parseExactJson(text)));
}

/** The request of a `start` message; only for authenticated clients. @throws Error as parseClientMessage does. */
export function parseStartPayload(payload: unknown): GraphQLRequest {
  return inHasurasWords(() => parseGraphQLRequest(payload, "$.payload"));
}

function inHasurasWords<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (error) {
    const detail = error instanceof SyntaxError ? "not valid JSON" : error instanceof Error ? error.message : "unknown";
    const path = error instanceof EngineError ? error.path : "$";
    throw new Error(`parsing ClientMessage failed: Error in ${path}: ${detail}`, { cause: error });
  }
}

function parse(message: unknown): ClientMessage {
  if (!isObject(message)) throw new Error("parsing ClientMessage failed, expected Object");
  switch (message["type"]) {
    case "connection_init":
      return { type: "init", headers: initHeaders(message["payload"]) };
    case "start":
    case "subscribe":
      return { type: "start", id: operationId(message), payload: message["payload"] };
    case "stop":
    case "complete":
      return { type: "stop", id: operationId(message) };
    case "ping":
      return { type: "ping", payload: message["payload"] };
    case "pong":
      return { type: "pong" };
    case "connection_terminate":
      return { type: "terminate" };
    default:
      throw new Error(`unexpected type for ClientMessage: ${String(message["type"]).slice(0, 64)}`);
  }
}

/** `{"headers": {…}}` as in Hasura; absent or null is valid. `{"Authorization": …}` without `headers` counts as that header. */
function initHeaders(payload: unknown): Readonly<Record<string, unknown>> {
  if (payload === undefined || payload === null) return {};
  if (!isObject(payload)) throw new Error("parsing ConnParams failed, expected Object");
  const headers = payload["headers"] ?? {};
  if (!isObject(headers)) throw new Error("parsing ConnParams failed, expected Object for the key 'headers'");
  const flat = Object.entries(payload).filter(([name]) => name.toLowerCase() === "authorization");
  return { ...Object.fromEntries(flat), ...headers };
}

function operationId({ id }: Readonly<Record<string, unknown>>): string {
  if (typeof id !== "string" || id === "") throw new Error("expected a string for the key 'id'");
  if (id.length > longestId) throw new Error("the key 'id' is too long");
  return id;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
