import { setTimeout as sleep } from "node:timers/promises";
import { testReceiver } from "@routeql/infra/monitoring/alert-routes";
import { Failure } from "@routeql/host/failure";
import { countNotifications, deliveryProgram, loginOption, outputOf } from "../status/alerts.ts";
import { type Command, stackArgument } from "../foundation/command.ts";
import { openPlace } from "../open-place.ts";

/** Milliseconds: Alertmanager groups alerts for ten seconds, then retries a failed delivery. */
const patience = 60_000;

/** Sends a test alert and waits until a receiver has answered. @throws Failure with the last lines of the Alertmanager's log */
async function sendTest(stack: string, signal: AbortSignal): Promise<void> {
  const alerting = await (await openPlace(stack)).alerting();
  const { inAlertmanager } = alerting;
  const read = async () => countNotifications(await outputOf(inAlertmanager, deliveryProgram, signal), testReceiver);
  const before = await read();
  const end = new Date(Date.now() + patience).toISOString();
  // Alerts are grouped by name and service, and a known group waits for minutes before its next notification.
  const alert = ["alertname=TestAlert", `stack=${stack}`, "severity=info", `service=test-${Date.now()}`];
  await outputOf(
    inAlertmanager,
    ["amtool", "--alertmanager.url=http://127.0.0.1:9093", loginOption, "alert", "add", `--end=${end}`].concat(
      "--annotation=summary=A test of the delivery of alerts",
      alert,
    ),
    signal,
  );
  const deadline = performance.now() + patience;
  for (;;) {
    await sleep(1000, undefined, { signal });
    const { sent, answered, failed } = await read();
    if (failed > before.failed || performance.now() > deadline) break;
    // A notification counts from its start, for all receivers at once.
    if (sent > before.sent && answered - before.answered >= sent - before.sent) return;
  }
  const lines = (await alerting.lastLines(50)).filter((line) => /notify|receiver/i.test(line));
  throw new Failure("The test alert was not delivered", {
    lastLines: lines.slice(-3),
    remedy: `check the ALERT_ settings and the receiver, run \`npm run up${stackArgument(stack)}\`, then this command again.`,
  });
}

export const command: Command = {
  description: {
    name: "alerts",
    summary: "Lists the firing alerts, or sends a test alert.",
    options: { test: { type: "boolean", meaning: "send a test alert and wait until its receiver has answered" } },
    notes: ["Requires MONITORING=stack on Docker: docs/operate/monitoring.md."],
  },
  run: async (stack, args, signal) => {
    if (args.flag("test")) {
      await sendTest(stack, signal);
      console.log("The receiver has accepted the test alert.");
      return;
    }
    const alerts = await (await (await openPlace(stack)).alerting()).firing(signal);
    if (alerts === undefined)
      throw new Failure("Prometheus does not answer", { remedy: `run \`npm run status${stackArgument(stack)}\`.` });
    console.log(alerts.map(({ name, service }) => `${name} ${service}`.trim()).join("\n") || "none");
  },
};
