import { errorCodes } from "@routeql/contract/error-codes";
import type { Endpoint, Parts } from "./endpoint.ts";

/** 200 when logins and tokens can be served; otherwise 503 with the failed services. */
export function readiness({ readiness }: Parts): Endpoint {
  return {
    path: "/readyz",
    audience: "inside",
    methods: ["GET"],
    handlers: [
      async (_request, response) => {
        const parts = await readiness.check();
        if (Object.values(parts).every((state) => state === "up")) {
          response.json({ status: "ready", parts });
          return;
        }
        const { status, sentence } = errorCodes.unavailable;
        response.setHeader("Retry-After", "2");
        response.status(status).json({ error: sentence, code: "unavailable", parts });
      },
    ],
  };
}

/** The process runs and answers. It ignores other services, because a restart would not repair them. */
export function liveness(): Endpoint {
  return {
    path: "/livez",
    audience: "inside",
    methods: ["GET"],
    handlers: [
      (_request, response) => {
        response.json({ status: "live" });
      },
    ],
  };
}
