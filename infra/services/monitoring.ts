/** The services that collect metrics and send alerts, on the image `monitoring`. */
import { stringify } from "yaml";
import { derive } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { databaseExporter, diskExporter, monitoringService, sessionsExporter } from "./exporters.ts";
import { filesDirectory, secretPath } from "../description/service.ts";
import type { ServiceDescription, ServiceName } from "../description/service.ts";
import { alertRoutes } from "../monitoring/alert-routes.ts";
import { basicLogin, monitoringPassword } from "../monitoring/login.ts";
import { grafanaFiles, prometheusFiles } from "../monitoring/prometheus-files.ts";
import type { Surroundings } from "../description/surroundings.ts";

type Monitored = Pick<
  Settings,
  | "monitoring"
  | "grafanaImage"
  | "grafanaPort"
  | "prometheusPort"
  | "metricsDays"
  | "database"
  | "sessions"
  | "target"
  | "alertWebhookFormat"
  | "alertEmailTo"
  | "alertEmailFrom"
  | "alertSmtpHost"
  | "alertSmtpUser"
>;

type MonitoringSurroundings = Pick<Surroundings, "stack" | "alertWebhook" | "alertWatchdog">;

const passwordFile = { MONITORING_PASSWORD_FILE: monitoringPassword } as const;

const webConfigurationFile = "web.yml";

/** Login of a client program in the container, in Prometheus' form. */
export const clientFile = "client.yml";

/** Both require a login: services with metrics, and users of the host by the bridges, reach their ports. */
const guard = {
  secrets: passwordFile,
  files: {
    [webConfigurationFile]: { secret: "monitoring-web-configuration" },
    [clientFile]: stringify({ basic_auth: basicLogin(secretPath(monitoringPassword)) }),
  },
  option: `--web.config.file=${filesDirectory}/${webConfigurationFile}`,
  ready: (port: number) => ({ kind: "command", command: ["monitoring-get", String(port), "/-/ready"] }) as const,
} as const;

/** Outside of the network of the metrics: only Prometheus calls them. Grafana asks Prometheus over the same network. */
const calledByPrometheus = (name: ServiceName): boolean => name === "alertmanager" || name === "grafana";

function prometheus(
  scraped: readonly ServiceDescription[],
  { prometheusPort, metricsDays }: Monitored,
  { stack, alertWatchdog = false }: MonitoringSurroundings,
): ServiceDescription {
  const folder = `${filesDirectory}/prometheus`;
  return {
    ...monitoringService,
    name: "prometheus",
    command: [
      "prometheus",
      `--config.file=${folder}/prometheus.yml`,
      guard.option,
      "--web.max-connections=64",
      "--storage.tsdb.path=/prometheus",
      derive(metricsDays, (days) => `--storage.tsdb.retention.time=${days}d`),
      `--web.console.templates=${folder}/consoles`,
      // The pages use no library of Prometheus; the folder only has to exist.
      `--web.console.libraries=${folder}`,
      derive(prometheusPort, (port) => `--web.external-url=http://127.0.0.1:${port}/`),
      // The default lets every web page read the metrics that a browser on the host can reach.
      derive(prometheusPort, (port) => String.raw`--web.cors.origin=http://127\.0\.0\.1:${port}`),
      // One query can use about 80 MB; the defaults exceed the memory limit.
      "--query.max-samples=5000000",
      "--query.max-concurrency=4",
      "--query.timeout=30s",
    ],
    user: 10_110,
    secrets: guard.secrets,
    files: {
      ...guard.files,
      ...prometheusFiles([...scraped, { name: "prometheus", metricsPort: 9090 }], stack, alertWatchdog),
    },
    calls: scraped.map(({ name }) => name).filter(calledByPrometheus),
    // Otherwise a first start would raise ServiceDown.
    after: scraped.map(({ name }) => name),
    data: "/prometheus",
    ports: [{ internal: 9090, published: prometheusPort, loopback: true }],
    metricsPort: 9090,
    health: guard.ready(9090),
    resources: { memoryMegabytes: 512, cpuMillicores: 50, processes: 128 },
    graceSeconds: 30,
  };
}

/** Publishes no port, and only Prometheus reaches it. */
function alertmanager(settings: Monitored, surroundings: MonitoringSurroundings): ServiceDescription {
  const folder = `${filesDirectory}/alertmanager`;
  const { alertWebhookFormat, alertEmailTo, alertEmailFrom, alertSmtpHost, alertSmtpUser } = settings;
  const alerting = { alertWebhookFormat, alertEmailTo, alertEmailFrom, alertSmtpHost, alertSmtpUser };
  const receiverSecrets: ServiceDescription["secrets"] = {
    ...(surroundings.alertWebhook === true ? { ALERT_WEBHOOK_URL_FILE: "alert-webhook-url" } : {}),
    ...(surroundings.alertWatchdog === true ? { ALERT_WATCHDOG_URL_FILE: "alert-watchdog-url" } : {}),
    ...(alertSmtpUser === undefined ? {} : { ALERT_SMTP_PASSWORD_FILE: "alert-smtp-password" }),
  };
  return {
    ...monitoringService,
    name: "alertmanager",
    command: [
      "prometheus-alertmanager",
      `--config.file=${folder}/alertmanager.yml`,
      "--storage.path=/alertmanager",
      "--cluster.listen-address=",
      guard.option,
      "--web.get-concurrency=8",
      "--web.timeout=10s",
      // `status` counts the silences.
      "--silences.max-silences=100",
      "--silences.max-silence-size-bytes=4096",
      "--enable-feature=receiver-name-in-metrics",
    ],
    user: 10_111,
    files: {
      ...guard.files,
      "alertmanager/alertmanager.yml": derive(alerting, (known) => stringify(alertRoutes(known, surroundings))),
    },
    secrets: { ...guard.secrets, ...receiverSecrets },
    joinsMetrics: false,
    ...(Object.keys(receiverSecrets).length > 0 || alertEmailTo !== undefined ? { callsOutside: ["receiver"] } : {}),
    data: "/alertmanager",
    metricsPort: 9093,
    health: guard.ready(9093),
    resources: { memoryMegabytes: 128, cpuMillicores: 20, processes: 64 },
  };
}

/** Grafana on its official image. Everything that it shows comes from files: its database is in memory, and there is no login to it. */
function grafana({ grafanaPort }: Monitored, stack: string): ServiceDescription {
  const folder = `${filesDirectory}/grafana`;
  return {
    ...monitoringService,
    name: "grafana",
    image: "grafana",
    user: 10_113,
    environment: {
      GF_PATHS_PROVISIONING: `${folder}/provisioning`,
      GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH: `${folder}/dashboards/routeql.json`,
      GF_SERVER_ROOT_URL: derive(grafanaPort, (port) => `http://127.0.0.1:${port}/`),
      // A web page whose name resolves to this machine is redirected: without it the page could read everything, as there is no login.
      GF_SERVER_DOMAIN: "127.0.0.1",
      GF_SERVER_ENFORCE_DOMAIN: "true",
      GF_LOG_MODE: "console",
      GF_LOG_CONSOLE_FORMAT: "json",
      GF_AUTH_ANONYMOUS_ENABLED: "true",
      GF_AUTH_ANONYMOUS_ORG_ROLE: "Viewer",
      GF_AUTH_BASIC_ENABLED: "false",
      GF_AUTH_DISABLE_LOGIN_FORM: "true",
      GF_SECURITY_DISABLE_INITIAL_ADMIN_CREATION: "true",
      // Grafana sends nothing to its maker and installs no plugin.
      GF_ANALYTICS_REPORTING_ENABLED: "false",
      GF_ANALYTICS_CHECK_FOR_UPDATES: "false",
      GF_ANALYTICS_CHECK_FOR_PLUGIN_UPDATES: "false",
      GF_NEWS_NEWS_FEED_ENABLED: "false",
      GF_PLUGINS_PREINSTALL_DISABLED: "true",
    },
    secrets: passwordFile,
    files: grafanaFiles(folder, stack),
    joinsMetrics: false,
    temporary: { "/tmp": 16, "/var/lib/grafana": 128 },
    ports: [{ internal: 3000, published: grafanaPort, loopback: true }],
    metricsPort: 3000,
    health: { kind: "http", port: 3000, path: "/api/health" },
    resources: { memoryMegabytes: 512, cpuMillicores: 50, processes: 128 },
  };
}

/** The services with an exporter: only services of the stack. */
export function monitoredParts({
  monitoring,
  database,
  sessions,
}: Pick<Settings, "monitoring" | "database" | "sessions">): readonly ("database" | "sessions")[] {
  if (monitoring === "off") return [];
  return [
    ...(database === "single" ? (["database"] as const) : []),
    ...(sessions === "single" ? (["sessions"] as const) : []),
  ];
}

/** Adds exporters for the stack's own services, and with `stack` the services that collect their metrics; nothing with `off`. */
export function withMonitoring(
  services: readonly ServiceDescription[],
  settings: Monitored,
  surroundings: MonitoringSurroundings,
): readonly ServiceDescription[] {
  if (settings.monitoring === "off") return services;
  const parts = monitoredParts(settings);
  const measured = services.map((service) =>
    service.metricsPort === undefined ? service : { ...service, joinsMetrics: true },
  );
  const exporters = [
    ...(parts.includes("database") ? [databaseExporter] : []),
    ...(parts.includes("sessions") ? [sessionsExporter] : []),
    ...(settings.target === "docker" ? [diskExporter] : []),
  ];
  if (settings.monitoring !== "stack") return [...measured, ...exporters];
  const collected = [...measured, ...exporters, alertmanager(settings, surroundings)];
  const shown = settings.grafanaImage === undefined ? collected : [...collected, grafana(settings, surroundings.stack)];
  return [...shown, prometheus(shown, settings, surroundings)];
}
