import { paths } from "@routeql/contract/paths";
import type { Response } from "express";
import type { TokenEvent } from "../audit/audit-trail.ts";
import { refused } from "../audit/refusals.ts";
import { BoundedQueue } from "../bounded-queue.ts";
import { NoAccess, NoSession, Unavailable } from "../errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { contextOf } from "../http/request-context.ts";
import { serviceKey } from "../http/service-key.ts";
import { presentedSessionId } from "../sessions/session-cookie.ts";
import { hasAccess, type User, whyNoAccess } from "../users.ts";
import type { PendingToken } from "../tokens/token-issuer.ts";
import { afterChanges } from "./after-changes.ts";
import type { Endpoint, Parts } from "./endpoint.ts";

/** Maximum wait of a request in the queue, in milliseconds. */
const longestWait = 1000;

/** Session flow, second step: an access token for a session. POST and GET are equal. */
export function token(parts: Parts): Endpoint {
  const { settings, metrics } = parts;
  const lookups = { running: 0 };
  const queue = new BoundedQueue({
    concurrency: settings.TOKEN_CONCURRENCY,
    waiting: settings.TOKEN_QUEUE,
    longestWaitMilliseconds: longestWait,
    stalled: () => {
      const cause = new Error(`no token was issued for ${longestWait} ms`);
      return new Unavailable(lookups.running > 0 ? "directory" : "database", cause);
    },
  });
  metrics.gauge("auth_tokens_running", "Requests for tokens at work.", () => queue.running);
  metrics.gauge("auth_tokens_waiting", "Requests for tokens that wait for their turn.", () => queue.waiting);
  const issue = issueToken(parts, queue, lookups);
  return {
    path: paths.token,
    audience: "public",
    methods: ["GET", "POST"],
    handlers: [
      serviceKey(settings, metrics),
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: false }),
      (request, response) => {
        const sessionId = presentedSessionId(request.headers.cookie);
        if (sessionId === undefined) throw new NoSession();
        return issue(sessionId, response);
      },
    ],
  };
}

/** Requests that wait for the directory. */
interface Lookups {
  running: number;
}

function issueToken(
  parts: Parts,
  queue: BoundedQueue,
  lookups: Lookups,
): (sessionId: string, response: Response) => Promise<void> {
  const { settings, sessions, tokens, audit, metrics } = parts;
  const issue = async (userId: string, response: Response): Promise<void> => {
    const { address, requestId } = contextOf(response);
    const token = tokens.begin();
    const detail = { flow: "session", jti: token.id, kid: token.keyId };
    const event = { event: "token", userId, address, requestId, detail } as const;
    const user =
      (await audit.recordToken("local", event, token.issuedAt)) ?? (await otherUser(parts, event, token, lookups));
    const signed = await token.sign(user);
    metrics.tokens.inc({ flow: "session" });
    response.json({ access_token: signed });
  };
  const whenUsable = afterChanges(settings.TOKEN_QUEUE);
  return (sessionId, response) =>
    whenUsable(response, async () => {
      const userId = await sessions.use(sessionId);
      if (userId === undefined) throw new NoSession();
      // Each account has its share of the queue, however many sessions it has.
      return queue.run(() => issue(userId, response), userId);
    });
}

/** The user of another session: a directory account is queried again, and all sessions of a deleted or disabled account end here. */
async function otherUser(
  { sessions, users, directory, audit }: Parts,
  event: TokenEvent,
  { issuedAt }: PendingToken,
  lookups: Lookups,
): Promise<User> {
  const known = await users.findById(event.userId);
  let user = known;
  if (known?.provider === "ldap") {
    lookups.running += 1;
    user = await directory?.current(known).finally(() => (lookups.running -= 1));
  }
  if (user !== undefined && hasAccess(user)) {
    const recorded = await audit.recordToken(user.provider, event, issuedAt);
    if (recorded !== undefined) return recorded;
    user = await users.findById(event.userId);
  }
  const provider = user?.provider;
  if (user === undefined || user.disabled) await sessions.endAll(event.userId);
  await audit.recordRefusal(refused({ ...event, provider, detail: { flow: "session" } }, whyNoAccess(user)));
  throw user === undefined ? new NoSession() : new NoAccess();
}
