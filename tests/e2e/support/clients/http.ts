import { Agent, fetch, type HeadersInit, type RequestInit, type Response } from "undici";
import { stack } from "../stack/stack.ts";

/** Trusts only the stack's own CA. Connects for as long as the patience of the hostile tests; undici's default is ten seconds. */
export const dispatcher = new Agent({ connect: { ca: stack.caCertificate, timeout: 20_000 }, keepAliveTimeout: 1000 });

export interface Call {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A string is sent unchanged; other values as JSON with its Content-Type. */
  readonly body?: unknown;
  /** Address of the listener; by default the API's. */
  readonly base?: string;
}

export interface Reply {
  readonly status: number;
  readonly headers: Response["headers"];
  readonly text: string;
  /**
   * The parsed body.
   * @throws {SyntaxError} if it is not JSON
   */
  json(): unknown;
}

/**
 * Sends one request with fetch over TLS; redirects are not followed.
 * @throws {Error} with the cause in its message, where fetch says `fetch failed` alone
 */
export async function call(
  path: string,
  { method = "GET", headers = {}, body, base = stack.url }: Call = {},
): Promise<Reply> {
  const withType: HeadersInit =
    body === undefined || typeof body === "string" ? headers : { "content-type": "application/json", ...headers };
  const init: RequestInit = { method, headers: withType, dispatcher, redirect: "manual" };
  if (body !== undefined) init.body = typeof body === "string" ? body : JSON.stringify(body);
  const response = await fetch(new URL(path, base), init).catch((error: unknown) => {
    const { cause } = error as { cause?: unknown };
    throw new Error(`${method} ${path}: ${String(cause ?? error)}`, { cause: error });
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: () => JSON.parse(text) as unknown };
}
