import { expect, test } from "vitest";
import { countNotifications } from "./alerts.ts";

test("counts sent and failed notifications of all receivers", () => {
  const metrics = [
    "# TYPE alertmanager_notifications_total counter",
    'alertmanager_notifications_total{integration="email"} 2',
    'alertmanager_notifications_total{integration="webhook"} 3',
    'alertmanager_notification_requests_total{integration="webhook"} 6',
    'alertmanager_notification_requests_failed_total{integration="webhook"} 1',
    'alertmanager_notifications_failed_total{integration="webhook",reason="other"} 7',
  ].join("\n");
  expect(countNotifications(metrics)).toEqual({ sent: 5, answered: 6, failed: 1 });
  expect(countNotifications("")).toEqual({ sent: 0, answered: 0, failed: 0 });
});
