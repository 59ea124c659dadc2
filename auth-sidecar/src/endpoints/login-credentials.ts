import { paths } from "@routeql/contract/paths";
import { sessionFlowCredentials } from "../credentials/credentials.ts";
import { jsonBody } from "../http/json-body.ts";
import { contextOf } from "../http/request-context.ts";
import { serviceKey } from "../http/service-key.ts";
import { presentedSessionId, sessionCookie } from "../sessions/session-cookie.ts";
import type { Endpoint, Parts } from "./endpoint.ts";
import { measuredLogin } from "./measured-login.ts";

/** Session flow, first step: e-mail and password for a session. */
export function loginCredentials({ settings, authenticator, sessions, metrics }: Parts): Endpoint {
  return {
    path: paths.loginCredentials,
    audience: "public",
    methods: ["POST"],
    handlers: [
      serviceKey(settings.SERVICE_API_KEY),
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: true }),
      async (request, response) => {
        const credentials = sessionFlowCredentials(request.body);
        const { user, previousLogin, sessionId } = await measuredLogin(metrics, "session", async () => {
          sessions.assertReady();
          const login = await authenticator.authenticate(credentials, contextOf(response), "session");
          return { ...login, sessionId: await sessions.create(login.user.id, presentedSessionId(request.headers.cookie)) };
        });
        response.setHeader("Set-Cookie", sessionCookie(sessionId));
        response.json({
          user: {
            _id: user.id,
            name: user.name,
            email: user.email,
            role: user.role,
            lastLogin: previousLogin?.toISOString() ?? null,
            sessionId,
          },
        });
      },
    ],
  };
}
