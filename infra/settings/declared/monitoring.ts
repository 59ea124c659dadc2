/** Metrics, alerts, the services that collect them, and traces: a section of the list in list.ts. */
import { traceSettings } from "@routeql/tracing/settings";
import { hostAndPort, mailbox, mailboxes, oneOf, range, serviceImage, urlOf } from "../values/checks.ts";
import { givenSecret, number, text } from "../values/setting.ts";
import type { Check } from "../values/setting.ts";

const { check: webAddress } = urlOf("https", "http");

const { TRACE_ENDPOINT: endpoint, TRACE_PERCENT: percent } = traceSettings;
const endpointCheck: Check<"text"> = endpoint.problem;

export const monitoringSettings = {
  monitoring: text({
    argument: "monitoring.kind",
    environment: "MONITORING",
    structural: true,
    default: "off",
    meaning:
      "Metrics: none, endpoints for your own Prometheus (`scrape`), Prometheus and Alertmanager on Docker (`stack`), or Prometheus operator objects on Kubernetes (`operator`).",
    ...oneOf("off", "scrape", "stack", "operator"),
  }),
  prometheusPort: number({
    argument: "monitoring.prometheusPort",
    environment: "PROMETHEUS_PORT",
    default: 9090,
    meaning: "Docker with `stack`: port of Prometheus on 127.0.0.1.",
    ...range(1, 65_535),
  }),
  grafanaImage: text({
    argument: "monitoring.grafanaImage",
    environment: "GRAFANA_IMAGE",
    meaning: "Docker with `stack`: image of a Grafana with the stack's dashboard, such as `grafana/grafana:13.3.0`.",
    ...serviceImage(),
  }),
  grafanaPort: number({
    argument: "monitoring.grafanaPort",
    environment: "GRAFANA_PORT",
    default: 3000,
    meaning: "Docker with `stack`: port of Grafana on 127.0.0.1, without a login.",
    ...range(1, 65_535),
  }),
  alertWebhookUrl: givenSecret({
    argument: "monitoring.alertWebhookUrl",
    environment: "ALERT_WEBHOOK_URL",
    meaning: "Docker with `stack`: address to which Alertmanager posts alerts.",
    check: webAddress,
    allowed: "https://<host>/<path>",
  }),
  alertWebhookFormat: text({
    argument: "monitoring.alertWebhookFormat",
    environment: "ALERT_WEBHOOK_FORMAT",
    default: "alertmanager",
    meaning:
      "Docker with `stack`: form of these alerts: Alertmanager's JSON, or Slack's for Slack, Mattermost and Rocket.Chat.",
    ...oneOf("alertmanager", "slack"),
  }),
  alertWatchdogUrl: givenSecret({
    argument: "monitoring.alertWatchdogUrl",
    environment: "ALERT_WATCHDOG_URL",
    meaning: "Docker with `stack`: outside service that expects the alert `Watchdog` every minute.",
    check: webAddress,
    allowed: "https://<host>/<path>",
  }),
  alertEmailTo: text({
    argument: "monitoring.alertEmailTo",
    environment: "ALERT_EMAIL_TO",
    meaning: "Docker with `stack`: e-mail addresses that receive alerts, separated by commas.",
    ...mailboxes,
  }),
  alertEmailFrom: text({
    argument: "monitoring.alertEmailFrom",
    environment: "ALERT_EMAIL_FROM",
    default: "routeql@localhost.localdomain",
    meaning: "Docker with `stack`: sender of these e-mails.",
    ...mailbox,
  }),
  alertSmtpHost: text({
    argument: "monitoring.alertSmtpHost",
    environment: "ALERT_SMTP_HOST",
    meaning: "Docker with `stack`: mail server, with STARTTLS if it needs a user; port 465 with TLS.",
    ...hostAndPort,
  }),
  alertSmtpUser: text({
    argument: "monitoring.alertSmtpUser",
    environment: "ALERT_SMTP_USER",
    meaning: "Docker with `stack`: user at the mail server.",
  }),
  alertSmtpPassword: givenSecret({
    argument: "monitoring.alertSmtpPassword",
    environment: "ALERT_SMTP_PASSWORD",
    meaning: "Docker with `stack`: password of that user.",
  }),
  metricsDays: number({
    argument: "monitoring.metricsDays",
    environment: "METRICS_DAYS",
    default: 15,
    meaning: "Docker with `stack`: days for which Prometheus keeps metrics.",
    ...range(1, 3650),
  }),
  traceEndpoint: text({
    argument: "monitoring.traceEndpoint",
    environment: "TRACE_ENDPOINT",
    meaning: endpoint.meaning,
    check: endpointCheck,
    allowed: endpoint.allowed,
  }),
  tracePercent: number({
    argument: "monitoring.tracePercent",
    environment: "TRACE_PERCENT",
    default: percent.default,
    meaning: percent.meaning,
    ...range(percent.minimum, percent.maximum),
  }),
} as const;
