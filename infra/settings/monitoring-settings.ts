/**
 * Metrics, alerts and the services that collect them: a section of the list in list.ts. docs/operate/monitoring.md has examples.
 * @module
 */
import { oneOf, range } from "./checks.ts";
import { givenSecret, number, text } from "./setting.ts";
import type { Check } from "./setting.ts";

/** Never quotes the value, because such addresses often contain a token. */
const webAddress: Check<"secret"> = (value) =>
  URL.canParse(value) && /^https?:\/\/./.test(value) ? undefined : "must be an address that begins with https:// or http://";

export const monitoringSettings = {
  monitoring: text({
    environment: "MONITORING",
    default: "off",
    meaning:
      "Metrics of every service: none (`off`), endpoints for your own Prometheus (`scrape`), on Docker also a Prometheus and an Alertmanager of the stack (`stack`), or on Kubernetes objects of the Prometheus operator (`operator`).",
    ...oneOf("off", "scrape", "stack", "operator"),
  }),
  prometheusPort: number({
    environment: "PROMETHEUS_PORT",
    default: 9090,
    meaning: "Docker with `stack`: port of Prometheus on 127.0.0.1. It has no login.",
    ...range(1, 65_535),
  }),
  alertmanagerPort: number({
    environment: "ALERTMANAGER_PORT",
    default: 9093,
    meaning: "Docker with `stack`: port of Alertmanager on 127.0.0.1. It has no login.",
    ...range(1, 65_535),
  }),
  alertWebhookUrl: givenSecret({
    environment: "ALERT_WEBHOOK_URL",
    meaning: "Docker with `stack`: address to which Alertmanager posts alerts as JSON. Without it alerts are only shown.",
    check: webAddress,
    allowed: "https://<host>/<path>",
  }),
  metricsDays: number({
    environment: "METRICS_DAYS",
    default: 15,
    meaning: "Docker with `stack`: days for which Prometheus keeps metrics.",
    ...range(1, 3650),
  }),
} as const;
