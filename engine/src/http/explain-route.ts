import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Authenticator } from "../auth/authenticator.ts";
import { adminRole, createSession, roleVariable } from "../auth/session.ts";
import type { Engine, Session } from "../engine.ts";
import { EngineError } from "../errors.ts";
import type { ErrorLog } from "../lifecycle/error-log.ts";
import { parseGraphQLRequest } from "./graphql-request.ts";
import { apiFailure, readJson } from "./body.ts";
import type { Reply } from "./reply.ts";

export interface ExplainRouteOptions {
  readonly engine: Pick<Engine, "explain">;
  readonly authenticator: Authenticator;
  readonly bodyLimit: number;
  readonly logError: ErrorLog;
}

export type ExplainRoute = (request: IncomingMessage, id: string) => Promise<Reply>;

const bodySchema = z.object({ query: z.unknown(), user: z.record(z.string(), z.string()).nullish() });

/** `POST /v1/graphql/explain`: the statements and plans of a query, for admin only; `user` sets the session to explain it for. */
export function createExplainRoute({ engine, authenticator, bodyLimit, logError }: ExplainRouteOptions): ExplainRoute {
  return async (request, id) => {
    try {
      const { session } = await authenticator.authenticate(request.headers);
      if (!session.isAdmin)
        throw new EngineError({ code: "access-denied", status: 400, message: "restricted access: admin only" });
      const { query, user } = parseBody(await readJson(request, bodyLimit));
      return {
        status: 200,
        text: JSON.stringify(await engine.explain(parseGraphQLRequest(query, "$.query"), sessionOf(user))),
      };
    } catch (thrown) {
      return apiFailure(thrown, id, logError);
    }
  };
}

function parseBody(value: unknown): z.output<typeof bodySchema> {
  const parsed = bodySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EngineError({
    code: "parse-failed",
    message: "expected an object with the keys 'query' and, optionally, 'user'",
  });
}

function sessionOf(user: Readonly<Record<string, string>> | null | undefined): Session {
  const variables = Object.entries(user ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return createSession(variables.find(([name]) => name === roleVariable)?.[1] ?? adminRole, variables);
}
