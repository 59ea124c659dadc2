import type { IncomingMessage } from "node:http";
import type { Authenticator } from "../auth/authenticator.ts";
import { EngineError } from "../errors.ts";
import type { MetadataApi } from "../metadata-api/metadata-api.ts";
import type { ErrorLog } from "../lifecycle/error-log.ts";
import { apiFailure, readJson } from "./body.ts";
import type { Reply } from "./reply.ts";

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
