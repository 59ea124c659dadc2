import { request as send } from "undici";
import type { Administration } from "../../metadata-api/routes.ts";
import { adminRoute } from "../../http/admin-routes.ts";
import { readBody } from "../../http/body.ts";
import type { Reply } from "../../http/reply.ts";
import { unanswered } from "./upstream.ts";

const largestBody = 16 * 1_048_576;

/** Milliseconds: metadata with many tables, or the SQL of a migration, can take long. */
const patience = 300_000;

const refusal = { path: "$.args", message: "restricted access : admin only" };

/** Forwards what Hasura's command line and console call besides GraphQL, for clients with the access key; Hasura gets the front's key. */
export function forwardedAdministration(url: string, adminSecret: string | undefined): Pick<Administration, "routes"> {
  async function forward(method: "GET" | "POST", path: string, body?: Buffer): Promise<Reply> {
    const {
      statusCode,
      headers,
      body: answer,
    } = await send(url + path, {
      method,
      ...(body && { body }),
      headers: { "content-type": "application/json", ...(adminSecret && { "x-hasura-admin-secret": adminSecret }) },
      headersTimeout: patience,
      bodyTimeout: patience,
    }).catch((error: Error) => {
      throw unanswered(error);
    });
    return { status: statusCode, text: await answer.text(), contentType: String(headers["content-type"]) };
  }
  return {
    routes: (context) => ({
      ...Object.fromEntries(
        ["/v1/metadata", "/v1/query", "/v2/query", "/v1/graphql/explain"].map((path) => [
          `POST ${path}`,
          adminRoute(context, refusal, async (request) => forward("POST", path, await readBody(request, largestBody))),
        ]),
      ),
      "GET /v1alpha1/config": adminRoute(context, refusal, () => forward("GET", "/v1alpha1/config")),
      "GET /v1/version": () => forward("GET", "/v1/version"),
    }),
  };
}
