import type { RequestHandler } from "express";
import type { CredentialSource } from "../credentials/credential-source.ts";
import { sessionFlowCredentials } from "../credentials/credentials.ts";
import { contextOf } from "../http/request-context.ts";
import { presentedSessionId, sessionCookie } from "../sessions/session-cookie.ts";
import type { Parts } from "./endpoint.ts";
import { measuredLogin } from "./measured-login.ts";

/** Session flow, first step: credentials of this source for a session. A session that the client presents ends. */
export function sessionLogin(
  { authenticator, sessions, metrics }: Parts,
  source: CredentialSource,
  flow: string,
): RequestHandler {
  return async (request, response) => {
    const credentials = sessionFlowCredentials(request.body);
    const { user, previousLogin, sessionId } = await measuredLogin(metrics, flow, async () => {
      sessions.assertReady();
      const login = await authenticator.authenticate(source, credentials, contextOf(response), flow);
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
  };
}
