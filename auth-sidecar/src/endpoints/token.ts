import { paths } from "@routeql/contract/paths";
import type { Response } from "express";
import { BoundedQueue } from "../bounded-queue.ts";
import { NoAccess, NoSession } from "../errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { contextOf, type RequestContext } from "../http/request-context.ts";
import { serviceKey } from "../http/service-key.ts";
import { presentedSessionId } from "../sessions/session-cookie.ts";
import { hasAccess, type User } from "../users/user.ts";
import type { Endpoint, Parts } from "./endpoint.ts";

/** Milliseconds that a request may wait for its turn. */
const longestWait = 1000;

/** Session flow, second step: a session for an access token. POST answers as GET does. */
export function token(parts: Parts): Endpoint {
  const { settings, metrics } = parts;
  const queue = new BoundedQueue({
    concurrency: settings.TOKEN_CONCURRENCY,
    waiting: settings.TOKEN_QUEUE,
    longestWaitMilliseconds: longestWait,
  });
  metrics.gauge("auth_tokens_running", "Requests for tokens at work.", () => queue.running);
  metrics.gauge("auth_tokens_waiting", "Requests for tokens that wait for their turn.", () => queue.waiting);
  const issue = issueToken(parts);
  return {
    path: paths.token,
    audience: "public",
    methods: ["GET", "POST"],
    handlers: [
      serviceKey(settings.SERVICE_API_KEY),
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: false }),
      (request, response) => {
        const sessionId = presentedSessionId(request.headers.cookie);
        if (sessionId === undefined) throw new NoSession();
        return queue.run(() => issue(sessionId, response));
      },
    ],
  };
}

function issueToken(parts: Parts): (sessionId: string, response: Response) => Promise<void> {
  const { tokens, audit, metrics } = parts;
  return async (sessionId, response) => {
    const context = contextOf(response);
    const user = await sessionUser(parts, sessionId, context);
    const issued = await tokens.issue(user);
    const detail = { flow: "session", jti: issued.id, kid: issued.keyId };
    await audit.record({
      event: "token",
      outcome: "success",
      userId: user.id,
      provider: user.provider,
      ...originOf(context),
      detail,
    });
    metrics.tokens.inc({ flow: "session" });
    response.json({ access_token: issued.token });
  };
}

/** The session's user as he is now, not as he was at login; the session of one who is gone or disabled ends here. */
async function sessionUser(
  { sessions, users, directory, audit }: Parts,
  sessionId: string,
  context: RequestContext,
): Promise<User> {
  const userId = await sessions.use(sessionId);
  if (userId === undefined) throw new NoSession();
  const known = await users.findById(userId);
  // A directory's account is asked for anew each time: it may be gone, disabled, or in other groups since.
  const user = known?.provider === "ldap" ? await directory?.current(known) : known;
  if (user !== undefined && hasAccess(user)) return user;
  if (user === undefined || user.disabled) await sessions.end(sessionId);
  const reason = user === undefined ? "deleted" : user.disabled ? "disabled" : "pending";
  await audit.recordRefusal({
    event: "token",
    outcome: "refused",
    userId,
    provider: user?.provider,
    ...originOf(context),
    detail: { flow: "session", reason },
  });
  throw user === undefined ? new NoSession() : new NoAccess();
}

const originOf = ({ address, requestId }: RequestContext) => ({ address, requestId });
