import type { RequestHandler } from "express";
import type { CredentialSource } from "../credentials/credential-source.ts";
import { sessionFlowCredentials } from "../credentials/credentials.ts";
import { contextOf } from "../http/request-context.ts";
import { presentedSessionId, sessionCookie } from "../sessions/session-cookie.ts";
import type { Parts } from "./endpoint.ts";
import { measuredLogin } from "./measured-login.ts";

/** Session flow, first step: verifies credentials and creates a session. The session that the client presents ends. */
export function sessionLogin(
  { authenticator, sessions, metrics }: Parts,
  source: CredentialSource,
  flow: string,
): RequestHandler {
  return async (request, response) => {
    const credentials = sessionFlowCredentials(request.body);
    const {
      user,
      previousLogin,
      given: sessionId,
    } = await measuredLogin(metrics, flow, () => {
      sessions.assertReady();
      return authenticator.authenticate(source, credentials, contextOf(response), flow, {
        give: ({ id }) => sessions.create(id, presentedSessionId(request.headers.cookie)),
        takeBack: (id) => sessions.end(id),
      });
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
