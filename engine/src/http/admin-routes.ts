import type { IncomingMessage } from "node:http";
import type { Authenticator } from "../auth/authenticator.ts";
import { EngineError, legacyError, toEngineError } from "../errors.ts";
import type { ErrorLog } from "./request-log.ts";
import type { Reply } from "./reply.ts";
import type { Route } from "./server.ts";

export interface AdminRouteContext {
  readonly authenticator: Authenticator;
  readonly logError: ErrorLog;
}

export const jsonReply = (value: unknown): Reply => ({ status: 200, text: JSON.stringify(value) });

/** `GET /v1alpha1/config`: the server's configuration, without secrets. */
export function createConfigRoute(configuration: unknown, context: AdminRouteContext): Route {
  const message = "You have to be an admin to access this endpoint";
  return adminRoute(context, { message }, () => Promise.resolve(jsonReply(configuration)));
}

/** A route for role admin only, with Hasura's errors `{path, error, code}`. @param refusal Hasura's error for other roles */
export function adminRoute(
  { authenticator, logError }: AdminRouteContext,
  refusal: { readonly message: string; readonly path?: string },
  work: (request: IncomingMessage) => Promise<Reply>,
  { showsInternal = false }: { readonly showsInternal?: boolean } = {},
): Route {
  return async (request, id) => {
    let isAdmin = false;
    try {
      ({ isAdmin } = (await authenticator.authenticate(request.headers)).session);
      if (!isAdmin) throw new EngineError({ code: "access-denied", status: 400, ...refusal });
      return await work(request);
    } catch (thrown) {
      const error = toEngineError(thrown);
      logError(error, { requestId: id });
      const text = JSON.stringify(legacyError(error, { withInternal: isAdmin && showsInternal }));
      return { status: error.status, text, errors: [error.label] };
    }
  };
}
