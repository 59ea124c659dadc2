import { paths } from "@routeql/contract/paths";
import { NoSession } from "../errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { contextOf } from "../http/request-context.ts";
import { serviceKey } from "../http/service-key.ts";
import { clearedSessionCookie, presentedSessionId } from "../sessions/session-cookie.ts";
import type { Endpoint, Parts } from "./endpoint.ts";

/** Ends the session. Its access tokens stay valid until they expire. */
export function logout({ settings, sessions, audit }: Parts): Endpoint {
  return {
    path: paths.logout,
    audience: "public",
    methods: ["DELETE"],
    handlers: [
      serviceKey(settings.SERVICE_API_KEY),
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: false }),
      async (request, response) => {
        const sessionId = presentedSessionId(request.headers.cookie);
        const userId = sessionId === undefined ? undefined : await sessions.end(sessionId);
        response.setHeader("Set-Cookie", clearedSessionCookie());
        if (userId === undefined) throw new NoSession();
        const { address, requestId } = contextOf(response);
        await audit.recordRefusal({ event: "logout", outcome: "success", userId, address, requestId });
        response.json({});
      },
    ],
  };
}
