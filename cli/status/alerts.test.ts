import { expect, test } from "vitest";
import { countNotifications } from "./alerts.ts";

test("counts sent and failed notifications of all receivers, and of one", () => {
  const metrics = [
    "# TYPE alertmanager_notifications_total counter",
    'alertmanager_notifications_total{integration="email",receiver_name="stack"} 2',
    'alertmanager_notifications_total{integration="webhook",receiver_name="watchdog"} 3',
    'alertmanager_notification_requests_total{integration="webhook",receiver_name="watchdog"} 6',
    'alertmanager_notification_requests_failed_total{integration="webhook",receiver_name="watchdog"} 1',
    'alertmanager_silences{state="active"} 2',
    'alertmanager_silences{state="expired"} 5',
    'alertmanager_notifications_failed_total{integration="webhook",reason="other",receiver_name="watchdog"} 7',
  ].join("\n");
  expect(countNotifications(metrics)).toEqual({ sent: 5, answered: 6, failed: 1, silences: 2 });
  expect(countNotifications(metrics, "stack")).toEqual({ sent: 2, answered: 0, failed: 0, silences: 2 });
  expect(countNotifications("")).toEqual({ sent: 0, answered: 0, failed: 0, silences: 0 });
});
