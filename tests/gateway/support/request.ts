import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeaders } from "node:http";
import { request as httpRequest } from "node:http";
import { request as httpsRequest } from "node:https";
import { buffer } from "node:stream/consumers";
import type { Received } from "./upstream-program.ts";
import type { StartedGateway } from "./gateway-container.ts";

export interface RequestOptions {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string | Buffer;
  /** Name of the listener; by default the API's. */
  readonly listener?: "redirect" | "api" | "console";
  readonly signal?: AbortSignal;
}

export interface Reply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /**
   * The request that the upstream received.
   * @throws {SyntaxError} if the body is not an echo
   */
  echo(): Received;
}

/** Sends one request on a separate connection. The path is unchanged; redirects, decoding and retries are off. */
export async function request(gateway: StartedGateway, path: string, options: RequestOptions = {}): Promise<Reply> {
  const { method = "GET", headers = {}, body, listener = "api", signal } = options;
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const common = {
    host: gateway.getHost(),
    port: gateway.port(listener),
    path,
    method,
    headers,
    signal,
    agent: false as const,
  };
  const outgoing =
    listener === "redirect"
      ? httpRequest(common)
      : httpsRequest({ ...common, ca: gateway.certificate.certificate, servername: "localhost" });
  outgoing.once("error", reject);
  outgoing.once("response", resolve);
  outgoing.end(body);
  const incoming = await promise;
  const bytes = await buffer(incoming);
  return {
    status: incoming.statusCode ?? 0,
    headers: incoming.headers,
    body: bytes,
    echo: () => JSON.parse(bytes.toString()) as Received,
  };
}

/** A GraphQL request, well-formed unless the headers change it. */
export function query(gateway: StartedGateway, options: RequestOptions = {}): Promise<Reply> {
  const headers = { "content-type": "application/json", ...options.headers };
  return request(gateway, "/api/graphql", { method: "POST", body: '{"query":"{ __typename }"}', ...options, headers });
}
