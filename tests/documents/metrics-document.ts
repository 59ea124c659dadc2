/** docs/reference/metrics.md: every metric of this project's own services, from their registries. */
import { globSync, readFileSync } from "node:fs";
import { resolve } from "node:path";
import { createMetrics as createSidecarMetrics } from "@routeql/auth-sidecar/metrics";
import { createMetrics as createEngineMetrics } from "@routeql/engine/metrics";
import { createMetrics as createFeedMetrics } from "@routeql/routing/service/metrics";

const root = resolve(import.meta.dirname, "../..");
const read = (path: string): string => readFileSync(resolve(root, path), "utf8");

interface DocumentedMetric {
  readonly name: string;
  readonly type: string;
  readonly labels: readonly string[];
  readonly help: string;
}

interface Registered {
  readonly name: string;
  readonly help: string;
  readonly type?: string;
  readonly labelNames?: readonly string[];
}

/** The metrics of a registry, without those of every Node process. */
function registered(metrics: readonly unknown[]): readonly DocumentedMetric[] {
  return (metrics as readonly Registered[])
    .filter(({ name }) => !/^(process|nodejs)_/.test(name))
    .map((metric) => ({
      name: metric.name,
      type: metric.constructor.name.toLowerCase(),
      labels: metric.labelNames ?? [],
      help: metric.help,
    }));
}

function engineMetrics(): readonly DocumentedMetric[] {
  const metrics = createEngineMetrics();
  metrics.observe({ executor: never, connections: never, metadata: never, inFlight: never, isAnswering: never });
  return registered(metrics.registry.getMetricsAsArray());
}

function never(): never {
  throw new Error("The document does not read this value.");
}

/** Gauges are registered next to their value, so they are found in the source. */
function sidecarMetrics(): readonly DocumentedMetric[] {
  const sources = globSync("auth-sidecar/src/**/*.ts", { cwd: root })
    .filter((path) => !path.endsWith(".test.ts"))
    .toSorted();
  const gauges = sources.flatMap((path) => [...read(path).matchAll(/metrics\.gauge\(\s*"(\w+)",\s*"([^"]+)"/g)]);
  return [
    ...registered(createSidecarMetrics().registry.getMetricsAsArray()),
    ...gauges.map(([, name = "", help = ""]) => ({ name, type: "gauge", labels: [], help })),
  ];
}

function gatewayMetrics(): readonly DocumentedMetric[] {
  const source = read("nginx/metrics/metrics.js");
  const found = [
    ...source.matchAll(/^ {2}(routeql_gateway_\w+): \[\s*"(\w+)",\s*(\[[^\]]*\]),\s*"([^"]*)",?\s*\],$/gm),
  ].map(([, name = "", type = "", labels = "[]", help = ""]) => ({
    name,
    type,
    labels: JSON.parse(labels) as string[],
    help,
  }));
  if (found.length !== source.match(/^ {2}routeql_gateway_\w+: \[/gm)?.length)
    throw new Error("An entry of nginx/metrics/metrics.js has an unexpected form.");
  return found;
}

function table(metrics: readonly DocumentedMetric[]): string {
  return metrics
    .map(({ name, type, labels, help }) => `- \`${name}\` (${[type, ...labels].join(", ")}): ${help}`)
    .join("\n");
}

export function metricsDocument(): string {
  return `# Metrics

Every metric with its type and its labels. No label holds a path, a name or a query of a client. [Monitoring](../operate/monitoring.md) explains how to read them.

<!-- Generated from the services' code by \`npm run documents\`; do not edit. -->

## Gateway

${table(gatewayMetrics())}

## Engine

The embedded engine and the front. Process metrics \`process_*\` and \`nodejs_*\` come from prom-client, also in the auth sidecar.

${table(engineMetrics())}

## Auth sidecar

${table(sidecarMetrics())}

## Feed

${table(registered(createFeedMetrics().registry.getMetricsAsArray()))}

## Exporters

The exporters document their own metrics: [postgres_exporter](https://github.com/prometheus-community/postgres_exporter),
[redis_exporter](https://github.com/oliver006/redis_exporter) and [node_exporter](https://github.com/prometheus/node_exporter).
\`routeql_run_*\`, \`routeql_archive_*\` and \`routeql_database_*\` are this kit's own.
`;
}
