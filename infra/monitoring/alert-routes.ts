/** Alertmanager's routes and receivers. */
import { secretPath } from "../description/service.ts";
import type { Surroundings } from "../description/surroundings.ts";
import type { PlainSettings } from "../settings/list.ts";

type Alerting = Pick<
  PlainSettings,
  "alertWebhookFormat" | "alertEmailTo" | "alertEmailFrom" | "alertSmtpHost" | "alertSmtpUser"
>;

/** The receiver of test alerts, in Alertmanager's configuration and metrics. */
export const testReceiver = "test";

/** Receivers of alerts, in Alertmanager's form: one address, one chat or one mailbox each. */
export function alertRoutes(
  settings: Alerting,
  { alertWebhook = false, alertWatchdog = false }: Pick<Surroundings, "alertWebhook" | "alertWatchdog">,
) {
  const { alertWebhookFormat, alertEmailTo: to, alertEmailFrom: from, alertSmtpHost, alertSmtpUser } = settings;
  const url = secretPath("alert-webhook-url");
  const chat = {
    api_url_file: url,
    title:
      "[{{ .Status | toUpper }}] {{ .CommonLabels.stack }} {{ .CommonLabels.alertname }} {{ .CommonLabels.service }}",
    text: "{{ range .Alerts }}{{ .Annotations.summary }} {{ .Annotations.runbook }}\n{{ end }}",
  };
  const login =
    alertSmtpUser === undefined
      ? {}
      : { auth_username: alertSmtpUser, auth_password_file: secretPath("alert-smtp-password") };
  // Port 465 is encrypted from its first byte, and has no STARTTLS that Alertmanager could require.
  const tls = alertSmtpUser === undefined || alertSmtpHost?.endsWith(":465") === true ? { require_tls: false } : {};
  const receiver = (name: string, send_resolved: boolean) => ({
    name,
    ...(alertWebhook && alertWebhookFormat === "slack" ? { slack_configs: [{ ...chat, send_resolved }] } : {}),
    ...(alertWebhook && alertWebhookFormat !== "slack" ? { webhook_configs: [{ url_file: url, send_resolved }] } : {}),
    ...(to === undefined
      ? {}
      : { email_configs: [{ to, from, smarthost: alertSmtpHost, send_resolved, ...tls, ...login }] }),
  });
  // A receiver of its own, so that the metrics tell the delivery of a test from others.
  const test = { receiver: testReceiver, matchers: ['alertname="TestAlert"'], group_wait: "1s" };
  const outside = { url_file: secretPath("alert-watchdog-url"), send_resolved: false };
  const watchdog = {
    receiver: "watchdog",
    matchers: ['alertname="Watchdog"'],
    group_wait: "1s",
    group_interval: "30s",
    repeat_interval: "1m",
  };
  return {
    // A receiver could otherwise send Alertmanager's requests to a service of the stack.
    global: { http_config: { follow_redirects: false } },
    route: {
      receiver: "stack",
      group_by: ["stack", "alertname", "service"],
      group_wait: "10s",
      // The default of 5 minutes delays the end of an alert as much.
      group_interval: "30s",
      routes: [test, ...(alertWatchdog ? [watchdog] : [])],
    },
    receivers: [
      receiver("stack", true),
      receiver(testReceiver, false),
      ...(alertWatchdog ? [{ name: "watchdog", webhook_configs: [outside] }] : []),
    ],
  };
}
