import express, { type Express } from "express";
import type { Logger } from "pino";
import type { Endpoint } from "./endpoints/endpoint.ts";
import { SidecarError } from "./errors.ts";
import { allowedMethods } from "./http/allowed-methods.ts";
import { errorReply } from "./http/error-reply.ts";
import { observe } from "./http/observe.ts";
import { requestContext } from "./http/request-context.ts";
import type { Metrics } from "./metrics.ts";

/** The Express application of these endpoints. It matches each path exactly and serves nothing else. */
export function createApplication(endpoints: readonly Endpoint[], log: Logger, metrics: Metrics): Express {
  const application = express();
  application.disable("x-powered-by");
  application.disable("etag");
  application.set("query parser", false);
  application.set("case sensitive routing", true);
  application.set("strict routing", true);

  application.use(requestContext, observe(log, metrics));
  for (const { path, audience, methods, handlers } of endpoints) {
    application.all(
      path,
      (_request, response, next) => {
        response.locals["route"] = path;
        response.locals["inside"] = audience === "inside";
        next();
      },
      allowedMethods(methods),
      ...handlers,
    );
  }
  application.use(() => {
    throw new SidecarError("not-found");
  });
  application.use(errorReply(log));
  return application;
}
