import type { IncomingMessage } from "node:http";
import { EngineError, legacyError, toEngineError } from "../errors.ts";
import { parseExactJson } from "../exact-json.ts";
import type { ErrorLog } from "../lifecycle/error-log.ts";
import { BodyError, readBody } from "./body.ts";
import { apiError, type Reply } from "./reply.ts";

/** The request's body as JSON. @throws EngineError, BodyError */
export async function readJson(request: IncomingMessage, limit: number): Promise<unknown> {
  return parseJson(await readBody(request, limit));
}

/** @throws EngineError */
export function parseJson(body: Buffer): unknown {
  try {
    return parseExactJson(body.toString("utf8"));
  } catch {
    throw new EngineError({ code: "invalid-json", message: "the request body is not valid JSON" });
  }
}

/** A failure in Hasura's form for all APIs but GraphQL: `{path, error, code}`, with the detail if the session may see it. */
export function apiFailure(thrown: unknown, id: string, logError: ErrorLog, withInternal = false): Reply {
  if (thrown instanceof BodyError) return apiError(thrown.status, "bad-request", thrown.message);
  const error = toEngineError(thrown);
  logError(error, { requestId: id });
  return { status: error.status, text: JSON.stringify(legacyError(error, withInternal)), errors: [error.code] };
}
