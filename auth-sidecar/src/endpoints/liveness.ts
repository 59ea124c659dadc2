import type { Endpoint } from "./endpoint.ts";

/** The process runs and answers. Says nothing of the parts it depends on, whose absence no restart would heal. */
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
