import { errorCodes } from "@routeql/contract/error-codes";
import { paths } from "@routeql/contract/paths";
import { refused } from "../audit/refusals.ts";
import type { Grant } from "../credentials/authenticator.ts";
import { singleStepCredentials } from "../credentials/credentials.ts";
import { NoAccess, WrongCredentials } from "../errors.ts";
import { jsonBody } from "../http/json-body.ts";
import { challenge } from "../http/error-reply.ts";
import { contextOf } from "../http/request-context.ts";
import { afterChanges } from "./after-changes.ts";
import type { Endpoint, Parts } from "./endpoint.ts";
import { measuredLogin } from "../metrics.ts";
import { whyNoAccess } from "../users.ts";

/** The token is issued after the login is recorded. */
const nothing: Grant<void> = { give: async () => undefined, takeBack: async () => undefined };

/** Single-step flow: user name and password for an access token, without a session and without the service key. */
export function singleStepToken({ settings, authenticator, local, users, tokens, audit, metrics }: Parts): Endpoint {
  const whenUsable = afterChanges(settings.TOKEN_QUEUE);
  return {
    path: paths.singleStepToken,
    audience: "public",
    methods: ["POST"],
    handlers: [
      ...jsonBody(settings.BODY_LIMIT_KILOBYTES, { required: true }),
      async (request, response) => {
        const credentials = singleStepCredentials(request.body);
        const { address, requestId } = contextOf(response);
        try {
          const { user } = await measuredLogin(metrics, "single-step", () =>
            authenticator.authenticate({
              source: local,
              credentials,
              origin: { address, requestId },
              flow: "single-step",
              grant: nothing,
            }),
          );
          const event = { event: "token", userId: user.id, address, requestId } as const;
          const flow = "single-step";
          await whenUsable(response, async () => {
            const token = tokens.begin();
            const detail = { flow, jti: token.id, kid: token.keyId };
            // The password check took its time: the account may have lost its role meanwhile.
            const current = await audit.recordToken("local", { ...event, detail }, token.issuedAt);
            if (current === undefined) {
              const reason = whyNoAccess(await users.findById(user.id));
              await audit.recordRefusal(refused({ ...event, provider: user.provider, detail: { flow } }, reason));
              throw new NoAccess();
            }
            const signed = await token.sign(current);
            metrics.tokens.inc({ flow });
            response.json({ access_token: signed });
          });
        } catch (error) {
          if (!(error instanceof WrongCredentials)) throw error;
          // The specification fixes this body: the sentence without a code.
          response.locals["errorCode"] = error.code;
          response.setHeader("WWW-Authenticate", challenge);
          response.status(error.status).json({ error: errorCodes["wrong-credentials"].sentence });
        }
      },
    ],
  };
}
