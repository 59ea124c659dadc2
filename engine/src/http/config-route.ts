import type { IncomingMessage } from "node:http";
import type { Authenticator } from "../auth/authenticator.ts";
import { EngineError } from "../errors.ts";
import type { ErrorLog } from "../lifecycle/error-log.ts";
import { apiFailure } from "./body.ts";
import type { Reply } from "./reply.ts";

export interface ConfigRouteOptions {
  /** The reply, as JSON. */
  readonly configuration: unknown;
  readonly authenticator: Authenticator;
  readonly logError: ErrorLog;
}

export type ConfigRoute = (request: IncomingMessage, id: string) => Promise<Reply>;

/** `GET /v1alpha1/config`, for role admin only: the server's configuration, without secrets. */
export function createConfigRoute({ configuration, authenticator, logError }: ConfigRouteOptions): ConfigRoute {
  const text = JSON.stringify(configuration);
  return async (request, id) => {
    try {
      const { session } = await authenticator.authenticate(request.headers);
      if (session.isAdmin) return { status: 200, text };
      throw new EngineError({
        code: "access-denied",
        status: 400,
        message: "You have to be an admin to access this endpoint",
      });
    } catch (thrown) {
      return apiFailure(thrown, id, logError);
    }
  };
}
