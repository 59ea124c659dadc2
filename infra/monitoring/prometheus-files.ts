import { readFileSync } from "node:fs";
import { stringify } from "yaml";
import type { ServiceDescription } from "../services/description.ts";
import { consolePage } from "./console-page.ts";

type Measured = Pick<ServiceDescription, "name" | "metricsPort">;

/** Seconds between two scrapes, and between two evaluations of the alerts. */
const intervalSeconds = 10;

/** One job for each service with metrics, `routeql/<service>`; the label `service` has the name alone. */
function scrapeJobs(services: readonly Measured[]): readonly object[] {
  return services.flatMap(({ name, metricsPort }) =>
    metricsPort === undefined
      ? []
      : [
          {
            job_name: `routeql/${name}`,
            static_configs: [{ targets: [`${name}:${metricsPort}`], labels: { service: name } }],
          },
        ],
  );
}

/** The section of a Prometheus configuration that scrapes these services, by their names in the metrics network. */
export const scrapeConfiguration = (services: readonly Measured[]): string =>
  stringify({ scrape_configs: scrapeJobs(services) });

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** The alerts as a rule file of Prometheus. */
export const alertRules = (): string => text("alerts.yml");

/** Statements of this kit for the exporter of Postgres, in its own format: the labels and values of each metric. */
export const databaseQueries = (): string => text("queries.yml");

/** The dashboard of Grafana; `npm run documents` generates it from the panels. */
export const grafanaDashboard = (): string => text("grafana-dashboard.json");

/** Data source and dashboard of the stack's own Grafana, by path under the files' directory; `folder` is their folder in the container. */
export function grafanaFiles(folder: string): Record<string, string> {
  const source = {
    name: "Prometheus",
    type: "prometheus",
    access: "proxy",
    url: "http://prometheus:9090",
    isDefault: true,
    jsonData: { timeInterval: `${intervalSeconds}s` },
  };
  const provider = { name: "routeql", type: "file", options: { path: `${folder}/dashboards` } };
  return {
    "grafana/provisioning/datasources/prometheus.yaml": stringify({ apiVersion: 1, datasources: [source] }),
    "grafana/provisioning/dashboards/routeql.yaml": stringify({ apiVersion: 1, providers: [provider] }),
    "grafana/dashboards/routeql.json": grafanaDashboard(),
  };
}

/** An alert that always fires: its absence at the receiver reports a failure of Prometheus, Alertmanager or the whole host. */
const watchdogRule = {
  alert: "Watchdog",
  expr: "vector(1)",
  labels: { severity: "none" },
  annotations: { summary: "Alerts are delivered" },
};

/** Prometheus' configuration, alerts and console pages, by path. @param watchdog whether an alert always fires */
export function prometheusFiles(services: readonly Measured[], watchdog: boolean): Record<string, string> {
  const configuration = {
    global: {
      scrape_interval: `${intervalSeconds}s`,
      scrape_timeout: `${intervalSeconds - 1}s`,
      evaluation_interval: `${intervalSeconds}s`,
    },
    rule_files: ["alerts.yml", ...(watchdog ? ["watchdog.yml"] : [])],
    alerting: { alertmanagers: [{ static_configs: [{ targets: ["alertmanager:9093"] }] }] },
    scrape_configs: scrapeJobs(services),
  };
  return {
    "prometheus/prometheus.yml": stringify(configuration),
    "prometheus/alerts.yml": alertRules(),
    ...(watchdog
      ? { "prometheus/watchdog.yml": stringify({ groups: [{ name: "watchdog", rules: [watchdogRule] }] }) }
      : {}),
    "prometheus/consoles/routeql.html": consolePage(),
  };
}
