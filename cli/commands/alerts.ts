import { setTimeout as sleep } from "node:timers/promises";
import { testReceiver } from "@routeql/infra/services/monitoring";
import { lastLogLines } from "@routeql/host/docker/output";
import { Failure } from "@routeql/host/failure";
import type Docker from "dockerode";
import {
  containerOf,
  countNotifications,
  deliveryProgram,
  firingAlerts,
  loginOption,
  outputOf,
} from "../status/alerts.ts";
import { type Command, stackArgument } from "../foundation/command.ts";
import { openPlace } from "../open-place.ts";

/** Milliseconds: Alertmanager groups alerts for ten seconds, then retries a failed delivery. */
const patience = 60_000;

async function alertmanagerOf(stack: string): Promise<Docker.Container> {
  const place = await openPlace(stack);
  if (place.target === "kubernetes")
    throw new Failure(`The stack ${stack} runs on Kubernetes, which has a Prometheus and an Alertmanager of its own`, {
      remedy: "set MONITORING=operator or scrape, and ask those of the cluster: docs/operate/monitoring.md#kubernetes",
    });
  await place.requireOwn();
  const found = await containerOf(stack, "alertmanager");
  if (found !== undefined) return found;
  throw new Failure(`The stack ${stack} has no Alertmanager`, {
    remedy: `set MONITORING=stack and ALERT_WEBHOOK_URL or ALERT_EMAIL_TO, then npm run up${stackArgument(stack)}: docs/operate/monitoring.md`,
  });
}

/** Sends a test alert and waits until a receiver has answered. @throws Failure with the last lines of the Alertmanager's log */
async function sendTest(stack: string, signal: AbortSignal): Promise<void> {
  const container = await alertmanagerOf(stack);
  const read = async () => countNotifications(await outputOf(container, deliveryProgram, signal), testReceiver);
  const before = await read();
  const end = new Date(Date.now() + patience).toISOString();
  // Alerts are grouped by name and service, and a known group waits for minutes before its next notification.
  const alert = ["alertname=TestAlert", `stack=${stack}`, "severity=info", `service=test-${Date.now()}`];
  await outputOf(
    container,
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
  const lines = (await lastLogLines(container, 50)).filter((line) => /notify|receiver/i.test(line));
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
    await alertmanagerOf(stack);
    const alerts = await firingAlerts(stack, signal);
    if (alerts === undefined)
      throw new Failure("Prometheus does not answer", { remedy: `run \`npm run status${stackArgument(stack)}\`.` });
    console.log(alerts.map(({ name, service }) => `${name} ${service}`.trim()).join("\n") || "none");
  },
};
