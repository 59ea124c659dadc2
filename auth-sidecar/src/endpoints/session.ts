import { paths } from "@routeql/contract/paths";
import type { RequestHandler } from "express";
import { type CredentialSource, sessionFlowCredentials } from "../credentials/credentials.ts";
import { NoSession, SidecarError } from "../errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { contextOf } from "../http/request-context.ts";
import { serviceKey } from "../http/service-key.ts";
import { clearedSessionCookie, presentedSessionId, sessionCookie } from "../sessions/session-cookie.ts";
import type { User } from "../users.ts";
import type { Endpoint, Parts } from "./endpoint.ts";
import { measuredLogin } from "../metrics.ts";

/** Session flow, first step: verifies credentials and creates a session. The session that the client presents ends. */
function sessionLogin(
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
      const grant = {
        give: ({ id }: User) => sessions.create(id, presentedSessionId(request.headers.cookie)),
        takeBack: (id: string) => sessions.end(id),
      };
      return authenticator.authenticate({ source, credentials, origin: contextOf(response), flow, grant });
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

/** Login with e-mail and password of a local account; creates a session. */
export function loginCredentials(parts: Parts): Endpoint {
  const { settings, local, metrics } = parts;
  return {
    path: paths.loginCredentials,
    audience: "public",
    methods: ["POST"],
    handlers: [
      serviceKey(settings, metrics),
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: true }),
      sessionLogin(parts, local, "session"),
    ],
  };
}

/** Login with a directory account; creates a session. 503 without a configured directory. */
export function loginLdap(parts: Parts): Endpoint {
  const { settings, directory, metrics } = parts;
  return {
    path: paths.loginLdap,
    audience: "public",
    methods: ["POST"],
    handlers: [
      serviceKey(settings, metrics),
      ...(directory === undefined
        ? [refuse]
        : [
            ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: true }),
            sessionLogin(parts, directory, "directory session"),
          ]),
    ],
  };
}

function refuse(): never {
  throw new SidecarError("ldap-not-configured", { retryAfterSeconds: 3600 });
}

/** Ends the session. Its access tokens stay valid until they expire. */
export function logout({ settings, sessions, audit, metrics }: Parts): Endpoint {
  return {
    path: paths.logout,
    audience: "public",
    methods: ["DELETE"],
    handlers: [
      serviceKey(settings, metrics),
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
