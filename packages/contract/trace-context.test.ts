import { expect, test } from "vitest";
import { readTraceParent, traceIdOf } from "./trace-context.ts";

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const spanId = "00f067aa0ba902b7";
const header = `00-${traceId}-${spanId}-01`;

test("reads the trace, the span and the sampled flag of a valid header", () => {
  expect(readTraceParent(header)).toEqual({ traceId, spanId, isSampled: true });
  expect(readTraceParent(`00-${traceId}-${spanId}-00`)).toEqual({ traceId, spanId, isSampled: false });
  expect(readTraceParent(`00-${traceId}-${spanId}-02`)?.isSampled).toBe(false);
});

test.each([
  undefined,
  "",
  [header, header],
  `${header}, ${header}`,
  `01-${traceId}-${spanId}-01`,
  `00-${traceId.toUpperCase()}-${spanId}-01`,
  `00-${"0".repeat(32)}-${spanId}-01`,
  `00-${traceId}-${"0".repeat(16)}-01`,
  `${header}\n`,
  `00-${traceId}-${spanId}-01-x`,
])("ignores the header %j", (invalid) => {
  expect(readTraceParent(invalid)).toBeUndefined();
});

test("takes the request id as the trace without a valid header", () => {
  const requestId = "0123456789abcdef0123456789abcdef";
  expect(traceIdOf(header, requestId)).toBe(traceId);
  expect(traceIdOf("invalid", requestId)).toBe(requestId);
  expect(traceIdOf(undefined, "of-another-proxy")).toBeUndefined();
});
