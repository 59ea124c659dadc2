import { createServer, type Server } from "node:http";
import type { Registry } from "prom-client";

/** `GET /metrics` in Prometheus' text format, on a separate internal port. */
export function createMetricsServer(registry: Registry): Server {
  return createServer({ requestTimeout: 10_000 }, (request, response) => {
    if (request.method !== "GET" || request.url?.split("?", 1)[0] !== "/metrics") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
