import type { Endpoint } from "./endpoint.ts";

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
