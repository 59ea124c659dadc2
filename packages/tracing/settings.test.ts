import { expect, test } from "vitest";
import { endpointOf, traceSettings } from "./settings.ts";

test.each([
  ["http://collector:4318", "http://collector:4318/v1/traces"],
  ["https://otel.example.net/", "https://otel.example.net/v1/traces"],
  ["https://otel.example.net/tenant/v1/traces", "https://otel.example.net/tenant/v1/traces"],
])("%s is the address %s", (given, address) => {
  expect(endpointOf(given)).toBe(address);
  expect(traceSettings.TRACE_ENDPOINT.problem(given)).toBeUndefined();
});

test.each(["collector:4318", "grpc://collector:4317", "http://", "", "http://user:secret-word@collector:4318"])(
  "rejects the address %s without repeating it",
  (given) => {
    expect(traceSettings.TRACE_ENDPOINT.problem(given)).toContain("must have the form");
    expect(traceSettings.TRACE_ENDPOINT.problem(given)).not.toContain("secret-word");
  },
);
