import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Authenticator } from "../auth/authenticator.ts";
import { adminRole, createSession, roleVariable } from "../auth/session.ts";
import type { Engine, Session } from "../engine.ts";
import { EngineError, toEngineError } from "../errors.ts";
import { parseExactJson } from "../execution/exact-json.ts";
import type { ErrorLog } from "../operation/error-log.ts";
import { BodyError, readBody } from "./body.ts";
import { parseGraphQLRequest } from "./graphql-request.ts";
import { apiError, type Reply } from "./reply.ts";

export interface ExplainRouteOptions {
  readonly engine: Pick<Engine, "explain">;
  readonly authenticator: Authenticator;
  readonly bodyLimit: number;
  readonly logError: ErrorLog;
}

export type ExplainRoute = (request: IncomingMessage, id: string) => Promise<Reply>;

const bodySchema = z.object({ query: z.unknown(), user: z.record(z.string(), z.string()).nullish() });

/** `POST /v1/graphql/explain`: the statements and plans of a query, for admin only; `user` gives the session to explain it for. */
export function createExplainRoute({ engine, authenticator, bodyLimit, logError }: ExplainRouteOptions): ExplainRoute {
  return async (request, id) => {
    try {
      const { session } = await authenticator.authenticate(request.headers);
      if (!session.isAdmin)
        throw new EngineError({ code: "access-denied", status: 400, message: "restricted access: admin only" });
      const { query, user } = parseBody(await readBody(request, bodyLimit));
      return { status: 200, text: JSON.stringify(await engine.explain(parseGraphQLRequest(query), sessionOf(user))) };
    } catch (thrown) {
      if (thrown instanceof BodyError) return apiError(thrown.status, "bad-request", thrown.message);
      const error = toEngineError(thrown);
      logError(error, { requestId: id });
      return { status: error.status, text: JSON.stringify({ path: error.path, error: error.message, code: error.code }) };
    }
  };
}

function parseBody(body: Buffer): z.output<typeof bodySchema> {
  let value: unknown;
  try {
    value = parseExactJson(body.toString("utf8"));
  } catch {
    throw new EngineError({ code: "invalid-json", message: "the request body is not valid JSON" });
  }
  const parsed = bodySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EngineError({ code: "parse-failed", message: "expected an object with the keys 'query' and, optionally, 'user'" });
}

function sessionOf(user: Readonly<Record<string, string>> | null | undefined): Session {
  const variables = Object.entries(user ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return createSession(variables.find(([name]) => name === roleVariable)?.[1] ?? adminRole, variables);
}
