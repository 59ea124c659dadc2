import { expect, test } from "vitest";
import { lastReason } from "./service-states.ts";

test("takes no request for the reason of a stop", () => {
  const request = '{"time":"2026-12-01T12:04:38+00:00","request_id":"e82783458172c01f","path":"/healthz"}';
  expect(lastReason(["nginx: [emerg] no space", request, request])).toBe("nginx: [emerg] no space");
  expect(lastReason(['{"level":"info","requestId":"4b7c1e0f"}'])).toBeUndefined();
  expect(lastReason(["x".repeat(400)])).toHaveLength(300);
});
