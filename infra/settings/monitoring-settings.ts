/**
 * Metrics, alerts and the services that collect them, and traces: a section of the list in list.ts. docs/operate/monitoring.md and
 * docs/operate/traces.md have examples.
 * @module
 */
import { traceSettings } from "@routeql/tracing/settings";
import { email, image, oneOf, range } from "./checks.ts";
import { givenSecret, number, text } from "./setting.ts";
import type { Check } from "./setting.ts";

/** Never quotes the value, because such addresses often contain a token. */
const webAddress: Check<"secret"> = (value) =>
  URL.canParse(value) && /^https?:\/\/./.test(value)
    ? undefined
    : "must be an address that begins with https:// or http://";

const hostWithPort: { check: Check<"text">; allowed: string } = {
  check: (value) => (/^[^\s:/]+:\d{1,5}$/.test(value) ? undefined : "must be <host>:<port>"),
  allowed: "<host>:<port>",
};

const { TRACE_ENDPOINT: endpoint, TRACE_PERCENT: percent } = traceSettings;
const endpointCheck: Check<"text"> = endpoint.problem;

export const monitoringSettings = {
  monitoring: text({
    default: "off",
    meaning:
      "Metrics of every service: none (`off`), endpoints for your own Prometheus (`scrape`), on Docker also a Prometheus and an Alertmanager of the stack (`stack`), or on Kubernetes objects of the Prometheus operator (`operator`).",
    ...oneOf("off", "scrape", "stack", "operator"),
  }),
  prometheusPort: number({
    default: 9090,
    meaning: "Docker with `stack`: port of Prometheus on 127.0.0.1. It has no login.",
    ...range(1, 65_535),
  }),
  grafanaImage: text({
    meaning:
      "Docker with `stack`: image of a Grafana that shows the stack's dashboard, such as `grafana/grafana:13.3.0`. Without it there is no Grafana.",
    ...image,
  }),
  grafanaPort: number({
    default: 3000,
    meaning: "Docker with `stack`: port of Grafana on 127.0.0.1. It shows its dashboards without a login.",
    ...range(1, 65_535),
  }),
  alertWebhookUrl: givenSecret({
    meaning:
      "Docker with `stack`: address to which Alertmanager posts alerts. Without it and ALERT_EMAIL_TO alerts are only shown.",
    check: webAddress,
    allowed: "https://<host>/<path>",
  }),
  alertWebhookFormat: text({
    default: "alertmanager",
    meaning:
      "Form of the alerts for ALERT_WEBHOOK_URL: Alertmanager's JSON, or a message for a chat with incoming webhooks in the form of Slack (Slack, Mattermost, Rocket.Chat).",
    ...oneOf("alertmanager", "slack"),
  }),
  alertWatchdogUrl: givenSecret({
    meaning:
      "Docker with `stack`: address that receives the alert `Watchdog` every minute. An outside service that reports its absence notices a failure of the whole host.",
    check: webAddress,
    allowed: "https://<host>/<path>",
  }),
  alertEmailTo: text({ meaning: "Docker with `stack`: e-mail address that receives alerts.", ...email }),
  alertEmailFrom: text({
    default: "routeql@localhost.localdomain",
    meaning: "Sender of the e-mails with alerts.",
    ...email,
  }),
  alertSmtpHost: text({
    meaning: "Mail server for ALERT_EMAIL_TO, with its port. With a user, the connection must support STARTTLS.",
    ...hostWithPort,
  }),
  alertSmtpUser: text({ meaning: "User at the mail server. Without it there is no login." }),
  alertSmtpPassword: givenSecret({ meaning: "Password of ALERT_SMTP_USER." }),
  metricsDays: number({
    default: 15,
    meaning: "Docker with `stack`: days for which Prometheus keeps metrics.",
    ...range(1, 3650),
  }),
  traceEndpoint: text({ meaning: endpoint.meaning, check: endpointCheck, allowed: endpoint.allowed }),
  tracePercent: number({
    default: percent.default,
    meaning: percent.meaning,
    ...range(percent.minimum, percent.maximum),
  }),
} as const;
