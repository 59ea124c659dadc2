import { createServer, type Server } from "node:http";
import type { Registry } from "prom-client";

/** GET /metrics in Prometheus' text format, on a separate port. */
export function createMetricsServer(registry: Registry): Server {
  return createServer((request, response) => {
    if (request.url !== "/metrics" || request.method !== "GET") {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { "content-type": registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}
