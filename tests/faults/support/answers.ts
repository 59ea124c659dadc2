import type { Response } from "undici";
import { errorCodes } from "@routeql/contract/error-codes";

/**
 * Result of a request during a fault. `right` and `wrong`: the answer was, or was not, the correct one for this client; `refused`: this
 * project's own documented error without data; `broken`: anything else, such as an error in another form; `unreachable`: no answer.
 */
export type Verdict = "right" | "wrong" | "refused" | "broken" | "unreachable";

export interface Outcome {
  readonly verdict: Verdict;
  /** Code of the rejection, or a description of the problem; never a secret. */
  readonly detail: string;
  readonly milliseconds: number;
  /** `performance.now()` at its end. */
  readonly endedAt: number;
}

/** Codes of the engine that an outage may return (docs/reference/engine.md): Hasura's own names. */
const outageCodes = new Set(["postgres-error", "postgres-max-connections-error", "timeout", "temporarily-unavailable"]);

/** Codes of the engine and the front with status 503 and `Retry-After`: too much work waits, or Hasura does not answer. */
const repeatCodes = new Set(["busy", "unexpected"]);

/** This project's own statuses that an outage may return. */
const outageStatuses = new Set([429, 503]);

/** Words that no error may contain, because they reveal services behind the gateway. */
const inside = /password|routeql_|ECONN|ETIMEDOUT|(?:\d{1,3}\.){3}\d{1,3}|pg_|node_modules|nginx/;

/** Judges a reply without data: an error of the gateway, the sidecar or the engine, or a broken one. */
export function judgeError(
  response: Pick<Response, "status" | "headers">,
  text: string,
): Pick<Outcome, "verdict" | "detail"> {
  if (inside.test(text)) return { verdict: "broken", detail: `an error that reveals internals: ${text.slice(0, 200)}` };
  let body: { code?: string; error?: string; errors?: { extensions?: { code?: string } }[]; data?: unknown };
  try {
    body = JSON.parse(text) as typeof body;
  } catch {
    return { verdict: "broken", detail: `${response.status} without JSON: ${text.slice(0, 80)}` };
  }
  const engineCode = body.errors?.[0]?.extensions?.code;
  if (engineCode !== undefined && outageCodes.has(engineCode) && (body.data ?? null) === null)
    return { verdict: "refused", detail: engineCode };
  const mayRepeat = response.status === 503 && response.headers.get("retry-after") !== null;
  if (engineCode !== undefined && repeatCodes.has(engineCode) && mayRepeat)
    return { verdict: "refused", detail: `503 ${engineCode}` };
  const description = Object.entries(errorCodes).find(([code]) => code === body.code)?.[1];
  if (description === undefined || description.status !== response.status || description.sentence !== body.error) {
    return { verdict: "broken", detail: `${response.status} ${engineCode ?? body.code ?? "without a code"}` };
  }
  if (!outageStatuses.has(response.status))
    return { verdict: "broken", detail: `${response.status} ${body.code} is no answer to an outage` };
  if (response.headers.get("retry-after") === null)
    return { verdict: "broken", detail: `${response.status} without Retry-After` };
  return { verdict: "refused", detail: body.code as string };
}
