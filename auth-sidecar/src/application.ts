import express, { type Express, type RequestHandler, type Response } from "express";
import { type Span, type Tracing, withSpan } from "@routeql/tracing/span";
import type { Logger } from "pino";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { SidecarError } from "./errors.ts";
import { errorReply } from "./http/error-reply.ts";
import { contextOf, requestContext } from "./http/request-context.ts";
import type { Metrics } from "./metrics.ts";

export interface ApplicationOptions {
  readonly tracing?: Tracing | undefined;
  /** With this key, public endpoints exist only for the gateway, which presents it. */
  readonly gatewayKey?: string | undefined;
}

/** The Express application of these endpoints. It matches each path exactly and serves nothing else. */
export function createApplication(
  endpoints: readonly Endpoint[],
  log: Logger,
  metrics: Metrics,
  { tracing, gatewayKey }: ApplicationOptions = {},
): Express {
  const application = express();
  application.disable("x-powered-by");
  application.disable("etag");
  application.set("query parser", false);
  application.set("case sensitive routing", true);
  application.set("strict routing", true);

  application.use(requestContext(gatewayKey), observe(log, metrics));
  for (const { path, audience, methods, handlers } of endpoints) {
    application.all(
      path,
      (_request, response, next) => {
        response.locals["route"] = path;
        response.locals["inside"] = audience === "inside";
        next();
      },
      ...(gatewayKey === undefined || audience === "inside" ? [] : [onlyGateway]),
      ...(tracing === undefined || audience === "inside" ? [] : [traced(tracing, path)]),
      allowedMethods(methods),
      ...handlers,
    );
  }
  application.use(() => {
    throw new SidecarError("not-found");
  });
  application.use(errorReply(log, metrics));
  return application;
}

/** Beside the gateway, a service or a user of the host could guess passwords without its limits. */
const onlyGateway: RequestHandler = (_request, response, next) => {
  if (!contextOf(response).fromGateway) throw new SidecarError("not-found");
  next();
};

/** Rejects every other method, including HEAD and OPTIONS, which no endpoint needs. */
function allowedMethods(methods: readonly string[]): RequestHandler {
  return (request, _response, next) => {
    if (!methods.includes(request.method)) throw new SidecarError("method-not-allowed", { allow: methods });
    next();
  };
}

/** Traces the requests of an endpoint. What its handlers start belongs to the span. Requests of other services, such as health checks, have none. */
function traced(tracing: Tracing, route: string): RequestHandler {
  return ({ method, headers }, response, next) => {
    const { requestId } = contextOf(response);
    const attributes = { "http.request.method": method, "http.route": route, "url.path": route, "url.scheme": "http" };
    const span = tracing.start(`${method} ${route}`, { traceparent: headers["traceparent"], requestId }, attributes);
    if (span === undefined) {
      next();
      return;
    }
    response.locals["traceId"] = span.traceId;
    response.once("close", () => endSpan(span, response));
    withSpan(span, next);
  };
}

function endSpan(span: Span, { statusCode, locals }: Response): void {
  const code: unknown = locals["errorCode"];
  span.set({ "http.response.status_code": statusCode, "routeql.errors": typeof code === "string" ? code : undefined });
  if (statusCode >= 500) span.fail(String(statusCode));
  span.end();
}

/** Logs and measures each finished request under its endpoint's path, never the client's. Those of other services are logged at `debug`. */
function observe(log: Logger, metrics: Metrics): RequestHandler {
  return (request, response, next) => {
    response.once("close", () => {
      const { requestId, traceId, address, startedAt } = contextOf(response);
      const route = typeof response.locals["route"] === "string" ? response.locals["route"] : "other";
      const method = route === "other" ? "other" : request.method;
      const milliseconds = performance.now() - startedAt;
      metrics.requests.inc({ method, route, status: response.statusCode });
      metrics.seconds.observe({ method, route }, milliseconds / 1000);
      const entry = {
        requestId,
        traceId: traceId ?? (response.locals["traceId"] as unknown),
        address,
        method,
        route,
        status: response.statusCode,
        code: response.locals["errorCode"] as unknown,
        ms: Math.round(milliseconds * 10) / 10,
      };
      if (response.writableFinished)
        log[response.locals["inside"] === true ? "debug" : "info"](entry, "request answered");
      else log.info(entry, "the client left before the answer");
    });
    next();
  };
}
