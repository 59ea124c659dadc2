import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { stringify } from "yaml";
import { secretPath, type ServiceDescription } from "../description/service.ts";
import { consolePage } from "./console-page.ts";
import { basicLogin, monitoringPassword, monitoringUser } from "./login.ts";

type Measured = Pick<ServiceDescription, "name" | "metricsPort">;

const login = basicLogin(secretPath(monitoringPassword));

/** Services whose metrics require the login. */
const guarded: ReadonlySet<string> = new Set(["prometheus", "alertmanager"]);

/** Seconds between two scrapes, and between two evaluations of the alerts. */
const intervalSeconds = 10;

/** One job for each service with metrics. Its name and the label `stack` tell the stacks of one Prometheus apart. */
function scrapeJobs(
  services: readonly Measured[],
  stack: string,
  hostOf: (service: string) => string = (service) => service,
): readonly object[] {
  return services.flatMap(({ name, metricsPort }) =>
    metricsPort === undefined
      ? []
      : [
          {
            job_name: `routeql/${stack}/${name}`,
            ...(guarded.has(name) ? { basic_auth: login } : {}),
            static_configs: [{ targets: [`${hostOf(name)}:${metricsPort}`], labels: { stack, service: name } }],
          },
        ],
  );
}

/** The section of a Prometheus configuration that scrapes these services, by their containers: in two networks each stack has a `gateway`. */
export const scrapeConfiguration = (services: readonly Measured[], stack: string): string =>
  stringify({ scrape_configs: scrapeJobs(services, stack, (service) => `routeql-${stack}-${service}`) });

const text = (name: string): string => readFileSync(new URL(name, import.meta.url), "utf8");

/** The alerts as a rule file of Prometheus. */
export const alertRules = (): string => text("alerts.yml");

/** Statements of this kit for the exporter of Postgres, in its own format: the labels and values of each metric. */
export const databaseQueries = (): string => text("queries.yml");

/** Grafana's limit of a dashboard's uid. */
const longestUid = 40;

/**
 * The dashboard of Grafana; `npm run documents` generates it from the panels, for every stack. A provisioned one belongs to one stack: two of
 * the same uid or title would replace each other.
 */
export function grafanaDashboard(stack: string): string {
  const dashboard = JSON.parse(text("grafana-dashboard.json")) as Dashboard;
  const uid = `routeql-${stack}`;
  const templating = dashboard.templating.list.map((variable) =>
    variable.name === "stack" ? { ...variable, current: { text: stack, value: stack } } : variable,
  );
  return JSON.stringify({
    ...dashboard,
    uid: uid.length <= longestUid ? uid : createHash("sha256").update(uid).digest("hex").slice(0, longestUid),
    title: `RouteQL ${stack}`,
    templating: { ...dashboard.templating, list: templating },
  });
}

interface Dashboard {
  readonly uid: string;
  readonly title: string;
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

/** Data source and dashboard of the stack's own Grafana, by path under the files' directory; `folder` is their folder in the container. */
export function grafanaFiles(folder: string, stack: string): Record<string, string> {
  const source = {
    name: "Prometheus",
    type: "prometheus",
    access: "proxy",
    url: "http://prometheus:9090",
    isDefault: true,
    jsonData: { timeInterval: `${intervalSeconds}s` },
    basicAuth: true,
    basicAuthUser: monitoringUser,
    // Grafana reads the file.
    secureJsonData: { basicAuthPassword: `$__file{${secretPath(monitoringPassword)}}` },
  };
  const provider = { name: "routeql", type: "file", options: { path: `${folder}/dashboards` } };
  return {
    "grafana/provisioning/datasources/prometheus.yaml": stringify({ apiVersion: 1, datasources: [source] }),
    "grafana/provisioning/dashboards/routeql.yaml": stringify({ apiVersion: 1, providers: [provider] }),
    "grafana/dashboards/routeql.json": grafanaDashboard(stack),
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
export function prometheusFiles(
  services: readonly Measured[],
  stack: string,
  watchdog: boolean,
): Record<string, string> {
  const configuration = {
    global: {
      scrape_interval: `${intervalSeconds}s`,
      scrape_timeout: `${intervalSeconds - 1}s`,
      evaluation_interval: `${intervalSeconds}s`,
      // For alerts without a series of a service, such as Watchdog.
      external_labels: { stack },
    },
    rule_files: ["alerts.yml", ...(watchdog ? ["watchdog.yml"] : [])],
    alerting: { alertmanagers: [{ basic_auth: login, static_configs: [{ targets: ["alertmanager:9093"] }] }] },
    scrape_configs: scrapeJobs(services, stack),
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
