import { z } from "zod";
import { adminRole, createSession, roleVariable } from "../auth/session.ts";
import type { Engine, Session } from "../engine.ts";
import { EngineError } from "../errors.ts";
import { adminRoute, type AdminRouteContext, jsonReply } from "../http/admin-routes.ts";
import { readJson } from "../http/body.ts";
import { parseGraphQLRequest } from "../http/graphql-request.ts";
import type { Route } from "../http/server.ts";
import type { MetadataKeeper } from "../metadata-store/metadata-keeper.ts";
import { answerMetadataRequest } from "./metadata-api.ts";

/** In bytes. Metadata is larger than any query, and only admin may send it. */
const largestMetadata = 64 * 1_048_576;

const bodySchema = z.object({ query: z.unknown(), user: z.record(z.string(), z.string()).nullish() });

/** Administration of an engine: its metadata if it keeps them itself, and the routes of the metadata API. As in Hasura, explain belongs to it. */
export interface Administration {
  readonly metadata?: MetadataKeeper;
  /** @param bodyLimit of a query, in bytes */
  readonly routes: (context: AdminRouteContext, bodyLimit: number) => Readonly<Record<string, Route>>;
}

export function createAdministration(engine: Pick<Engine, "explain">, metadata: MetadataKeeper): Administration {
  return {
    metadata,
    routes(context, bodyLimit) {
      const refusal = { path: "$.args", message: "restricted access : admin only" };
      const change = adminRoute(
        context,
        refusal,
        async (request) => jsonReply(await answerMetadataRequest(metadata, await readJson(request, largestMetadata))),
        { showsInternal: true },
      );
      const explain = createExplainRoute(engine, bodyLimit, context);
      return {
        "POST /v1/graphql/explain": explain,
        "POST /v1alpha1/graphql/explain": explain,
        "POST /v1/metadata": change,
        // Hasura's CLI also sends metadata commands to the older path.
        "POST /v1/query": change,
      };
    },
  };
}

/** The statements and plans of a query; `user` sets the session to explain it for. */
function createExplainRoute(engine: Pick<Engine, "explain">, bodyLimit: number, context: AdminRouteContext): Route {
  return adminRoute(context, { message: "restricted access: admin only" }, async (request) => {
    const { success, data } = bodySchema.safeParse(await readJson(request, bodyLimit));
    if (success)
      return jsonReply(await engine.explain(parseGraphQLRequest(data.query, "$.query"), sessionOf(data.user ?? {})));
    const message = "expected an object with the keys 'query' and, optionally, 'user'";
    throw new EngineError({ code: "parse-failed", message });
  });
}

function sessionOf(user: Readonly<Record<string, string>>): Session {
  const variables = Object.entries(user).map(([name, value]) => [name.toLowerCase(), value] as const);
  return createSession(variables.find(([name]) => name === roleVariable)?.[1] ?? adminRole, variables);
}
