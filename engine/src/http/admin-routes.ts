import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Authenticator } from "../auth/authenticator.ts";
import { adminRole, createSession, roleVariable } from "../auth/session.ts";
import type { Engine, Session } from "../engine.ts";
import { EngineError, legacyError, toEngineError } from "../errors.ts";
import type { MetadataApi } from "../metadata-api/metadata-api.ts";
import { readJson } from "./body.ts";
import { parseGraphQLRequest } from "./graphql-request.ts";
import type { ErrorLog } from "./request-log.ts";
import type { Route } from "./server.ts";

interface AdminRouteContext {
  readonly authenticator: Authenticator;
  readonly logError: ErrorLog;
}

/** In bytes. Metadata is larger than any query, and only admin may send it. */
const largestMetadata = 64 * 1_048_576;

/** `POST /v1/metadata`. */
export function createMetadataRoute(api: MetadataApi, context: AdminRouteContext): Route {
  const refusal = { path: "$.args", message: "restricted access : admin only" };
  return adminRoute(context, refusal, async (request) => api.answer(await readJson(request, largestMetadata)), {
    showsInternal: true,
  });
}

const bodySchema = z.object({ query: z.unknown(), user: z.record(z.string(), z.string()).nullish() });

/** `POST /v1/graphql/explain`: the statements and plans of a query; `user` sets the session to explain it for. */
export function createExplainRoute(
  engine: Pick<Engine, "explain">,
  bodyLimit: number,
  context: AdminRouteContext,
): Route {
  return adminRoute(context, { message: "restricted access: admin only" }, async (request) => {
    const { success, data } = bodySchema.safeParse(await readJson(request, bodyLimit));
    if (success) return engine.explain(parseGraphQLRequest(data.query, "$.query"), sessionOf(data.user ?? {}));
    const message = "expected an object with the keys 'query' and, optionally, 'user'";
    throw new EngineError({ code: "parse-failed", message });
  });
}

function sessionOf(user: Readonly<Record<string, string>>): Session {
  const variables = Object.entries(user).map(([name, value]) => [name.toLowerCase(), value] as const);
  return createSession(variables.find(([name]) => name === roleVariable)?.[1] ?? adminRole, variables);
}

/** `GET /v1alpha1/config`: the server's configuration, without secrets. */
export function createConfigRoute(configuration: unknown, context: AdminRouteContext): Route {
  const message = "You have to be an admin to access this endpoint";
  return adminRoute(context, { message }, () => Promise.resolve(configuration));
}

/**
 * A route for role admin only, with Hasura's errors for all APIs but GraphQL: `{path, error, code}`.
 * @param refusal Hasura's error for other roles
 * @param work its result is the reply, as JSON
 */
function adminRoute(
  { authenticator, logError }: AdminRouteContext,
  refusal: { readonly message: string; readonly path?: string },
  work: (request: IncomingMessage) => Promise<unknown>,
  { showsInternal = false }: { readonly showsInternal?: boolean } = {},
): Route {
  return async (request, id) => {
    let isAdmin = false;
    try {
      ({ isAdmin } = (await authenticator.authenticate(request.headers)).session);
      if (!isAdmin) throw new EngineError({ code: "access-denied", status: 400, ...refusal });
      return { status: 200, text: JSON.stringify(await work(request)) };
    } catch (thrown) {
      const error = toEngineError(thrown);
      logError(error, { requestId: id });
      const text = JSON.stringify(legacyError(error, { withInternal: isAdmin && showsInternal }));
      return { status: error.status, text, errors: [error.code] };
    }
  };
}
