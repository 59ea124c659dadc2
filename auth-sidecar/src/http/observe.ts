import type { RequestHandler } from "express";
import type { Logger } from "pino";
import type { Metrics } from "../metrics.ts";
import { contextOf } from "./request-context.ts";

/**
 * Logs and measures each finished request. `route` is the endpoint's path, never the client's. Requests of other services, such as health
 * checks and key sets, are logged at `debug`.
 */
export function observe(log: Logger, metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    response.once("close", () => {
      const { requestId, address, startedAt } = contextOf(response);
      const route = typeof response.locals["route"] === "string" ? response.locals["route"] : "other";
      const method = route === "other" ? "other" : request.method;
      const milliseconds = performance.now() - startedAt;
      metrics.requests.inc({ method, route, status: response.statusCode });
      metrics.seconds.observe({ method, route }, milliseconds / 1000);
      const entry = {
        requestId,
        address,
        method,
        route,
        status: response.statusCode,
        code: response.locals["errorCode"] as unknown,
        ms: Math.round(milliseconds * 10) / 10,
      };
      if (response.writableFinished) log[response.locals["inside"] === true ? "debug" : "info"](entry, "request answered");
      else log.info(entry, "the client left before the answer");
    });
    next();
  };
}
