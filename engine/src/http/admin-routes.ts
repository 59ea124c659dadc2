import type { IncomingMessage } from "node:http";
import { z } from "zod";
import type { Authenticator } from "../auth/authenticator.ts";
import { adminRole, createSession, roleVariable } from "../auth/session.ts";
import type { Engine, Session } from "../engine.ts";
import { EngineError, legacyError, toEngineError } from "../errors.ts";
import type { ErrorLog } from "./request-log.ts";
import type { MetadataApi } from "../metadata-api/metadata-api.ts";
import { BodyError, readJson } from "./body.ts";
import { parseGraphQLRequest } from "./graphql-request.ts";
import { apiError, type Reply } from "./reply.ts";

export interface MetadataRouteOptions {
  readonly api: MetadataApi;
  readonly authenticator: Authenticator;
  readonly logError: ErrorLog;
}

export type MetadataRoute = (request: IncomingMessage, id: string) => Promise<Reply>;

/** In bytes. Metadata is larger than any query, and only admin may send it. */
const largestMetadata = 64 * 1_048_576;

/** `POST /v1/metadata`, for role admin only. */
export function createMetadataRoute({ api, authenticator, logError }: MetadataRouteOptions): MetadataRoute {
  return async (request, id) => {
    let isAdmin = false;
    try {
      const { session } = await authenticator.authenticate(request.headers);
      ({ isAdmin } = session);
      if (!isAdmin)
        throw new EngineError({
          code: "access-denied",
          status: 400,
          path: "$.args",
          message: "restricted access : admin only",
        });
      return { status: 200, text: JSON.stringify(await api.answer(await readJson(request, largestMetadata))) };
    } catch (thrown) {
      return apiFailure(thrown, id, logError, { withInternal: isAdmin });
    }
  };
}

export interface ExplainRouteOptions {
  readonly engine: Pick<Engine, "explain">;
  readonly authenticator: Authenticator;
  readonly bodyLimit: number;
  readonly logError: ErrorLog;
}

export type ExplainRoute = (request: IncomingMessage, id: string) => Promise<Reply>;

const bodySchema = z.object({ query: z.unknown(), user: z.record(z.string(), z.string()).nullish() });

/** `POST /v1/graphql/explain`: the statements and plans of a query, for admin only; `user` sets the session to explain it for. */
export function createExplainRoute({ engine, authenticator, bodyLimit, logError }: ExplainRouteOptions): ExplainRoute {
  return async (request, id) => {
    try {
      const { session } = await authenticator.authenticate(request.headers);
      if (!session.isAdmin)
        throw new EngineError({ code: "access-denied", status: 400, message: "restricted access: admin only" });
      const { query, user } = parseBody(await readJson(request, bodyLimit));
      return {
        status: 200,
        text: JSON.stringify(await engine.explain(parseGraphQLRequest(query, "$.query"), sessionOf(user))),
      };
    } catch (thrown) {
      return apiFailure(thrown, id, logError);
    }
  };
}

function parseBody(value: unknown): z.output<typeof bodySchema> {
  const parsed = bodySchema.safeParse(value);
  if (parsed.success) return parsed.data;
  throw new EngineError({
    code: "parse-failed",
    message: "expected an object with the keys 'query' and, optionally, 'user'",
  });
}

function sessionOf(user: Readonly<Record<string, string>> | null | undefined): Session {
  const variables = Object.entries(user ?? {}).map(([name, value]) => [name.toLowerCase(), value] as const);
  return createSession(variables.find(([name]) => name === roleVariable)?.[1] ?? adminRole, variables);
}

export interface ConfigRouteOptions {
  /** The reply, as JSON. */
  readonly configuration: unknown;
  readonly authenticator: Authenticator;
  readonly logError: ErrorLog;
}

export type ConfigRoute = (request: IncomingMessage, id: string) => Promise<Reply>;

/** `GET /v1alpha1/config`, for role admin only: the server's configuration, without secrets. */
export function createConfigRoute({ configuration, authenticator, logError }: ConfigRouteOptions): ConfigRoute {
  const text = JSON.stringify(configuration);
  return async (request, id) => {
    try {
      const { session } = await authenticator.authenticate(request.headers);
      if (session.isAdmin) return { status: 200, text };
      const message = "You have to be an admin to access this endpoint";
      throw new EngineError({ code: "access-denied", status: 400, message });
    } catch (thrown) {
      return apiFailure(thrown, id, logError);
    }
  };
}

/** A failure in Hasura's form for all APIs but GraphQL: `{path, error, code}`, with the detail if the session may see it. */
function apiFailure(
  thrown: unknown,
  id: string,
  logError: ErrorLog,
  options: { readonly withInternal?: boolean } = {},
): Reply {
  if (thrown instanceof BodyError) return apiError(thrown.status, "bad-request", thrown.message);
  const error = toEngineError(thrown);
  logError(error, { requestId: id });
  return { status: error.status, text: JSON.stringify(legacyError(error, options)), errors: [error.code] };
}
