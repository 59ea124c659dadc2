import { boundedLabels, secretComparison } from "@routeql/contract/rotated-secret";
import type { RequestHandler } from "express";
import { WrongServiceKey } from "../errors.ts";
import type { Metrics } from "../metrics.ts";
import type { Settings } from "../settings.ts";
import { contextOf } from "./request-context.ts";

/** Requires the operator's key in x-service-api-key. The key before the last rotation is also valid for a time, and its use is counted. */
export function serviceKey(
  settings: Pick<Settings, "SERVICE_API_KEY" | "PREVIOUS_SERVICE_API_KEY" | "PREVIOUS_SERVICE_API_KEY_UNTIL">,
  { previousKeys }: Pick<Metrics, "previousKeys">,
): RequestHandler {
  const keyOf = secretComparison({
    current: settings.SERVICE_API_KEY,
    previous: settings.PREVIOUS_SERVICE_API_KEY,
    previousUntil: settings.PREVIOUS_SERVICE_API_KEY_UNTIL,
  });
  const bounded = boundedLabels();
  return (request, response, next) => {
    const presented = request.headers["x-service-api-key"];
    const key = typeof presented === "string" ? keyOf(presented) : undefined;
    if (key === undefined) throw new WrongServiceKey();
    if (key === "previous") previousKeys.inc({ client: bounded(contextOf(response).address) });
    next();
  };
}
