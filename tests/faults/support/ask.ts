import { Agent, fetch, type RequestInit } from "undici";
import { stack } from "../../e2e/support/stack/stack.ts";
import { judgeError, type Outcome } from "./answers.ts";

/** Maximum duration of any client request, with any fault behind the gateway. */
export const answerBound = 20_000;

/**
 * Each request uses a new connection. A kept one may be closed at the moment of its use when the gateway reloads its configuration. The
 * only remedy in HTTP/1.1 is a retry by the client (RFC 9112, 9.3.1), and these clients never retry.
 */
const agent = new Agent({ connect: { ca: stack.caCertificate, timeout: 5000 }, pipelining: 0, connections: 200 });

export interface Question {
  readonly path: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Aborting it disconnects the client. */
  readonly signal?: AbortSignal;
  /** Whether the parsed body of a 200 is the expected one for this client; a text describes the difference. */
  readonly isRight: (body: unknown) => true | string;
}

/** Sends one request and judges the reply. Never throws. */
export async function ask({ path, method = "POST", headers = {}, body, signal, isRight }: Question): Promise<Outcome> {
  const startedAt = performance.now();
  const outcome = (verdict: Outcome["verdict"], detail: string): Outcome => {
    const endedAt = performance.now();
    return { verdict, detail, milliseconds: endedAt - startedAt, endedAt };
  };
  const bound = AbortSignal.timeout(answerBound * 2);
  const init: RequestInit = {
    method,
    dispatcher: agent,
    headers: { "content-type": "application/json", ...headers },
    signal: signal === undefined ? bound : AbortSignal.any([bound, signal]),
  };
  if (body !== undefined) init.body = JSON.stringify(body);
  try {
    const response = await fetch(new URL(path, stack.url), init);
    const text = await response.text();
    if (response.status !== 200 || text.startsWith('{"errors"')) {
      const { verdict, detail } = judgeError(response, text);
      return outcome(verdict, detail);
    }
    const answer = isRight(JSON.parse(text));
    return answer === true ? outcome("right", "") : outcome("wrong", answer);
  } catch (error) {
    const { cause, name } = error as Error & { cause?: { code?: string; message?: string } };
    return outcome("unreachable", cause?.code ?? cause?.message ?? name);
  }
}
