import { expect, test } from "vitest";
import type { Span } from "./span.ts";
import { OtlpReceiver } from "./testing/otlp-receiver.ts";
import type { Tracing, TracingEvent } from "./span.ts";
import { startTracing } from "./tracing.ts";

const requestId = "0123456789abcdef0123456789abcdef";
const caller = { traceId: "4bf92f3577b34da6a3ce929d0e0e4736", spanId: "00f067aa0ba902b7" };
const traceparent = (flags: string): string => `00-${caller.traceId}-${caller.spanId}-${flags}`;
const without = { traceparent: undefined, requestId };

interface Opened extends AsyncDisposable {
  readonly tracing: Tracing;
  readonly receiver: OtlpReceiver;
  readonly events: TracingEvent[];
}

async function open(percent: number): Promise<Opened> {
  const receiver = await OtlpReceiver.start();
  const events: TracingEvent[] = [];
  const tracing = await startTracing({
    service: "test",
    version: "1",
    endpoint: receiver.url,
    percent,
    interval: 20,
    onEvent: (event) => void events.push(event),
  });
  if (tracing === undefined) throw new Error("tracing is off");
  return {
    tracing,
    receiver,
    events,
    async [Symbol.asyncDispose]() {
      await tracing.stop();
      await receiver[Symbol.asyncDispose]();
    },
  };
}

const sampled = (tracing: Tracing, origin: Parameters<Tracing["start"]>[1]): boolean => {
  const span = tracing.start("request", origin, {});
  span?.end();
  return span !== undefined;
};

test("is off without an endpoint", async () => {
  expect(
    await startTracing({ service: "test", version: "1", endpoint: undefined, percent: 100, onEvent: () => undefined }),
  ).toBeUndefined();
});

test("exports a request and its children with their attributes and errors", async () => {
  await using opened = await open(100);
  const span = opened.tracing.start("POST /login", without, { "http.route": "/login" });
  const child = span?.child("SELECT", "client", { "db.system.name": "postgresql", absent: undefined });
  child?.fail("57014");
  child?.end();
  span?.set({ "http.response.status_code": 200 });
  span?.end();
  await opened.tracing.stop();
  const [first, second] = opened.receiver.of(requestId).toSorted((a, b) => a.kind - b.kind);
  expect(first).toMatchObject({
    service: "test",
    name: "POST /login",
    kind: 2,
    parentSpanId: "",
    failed: false,
    attributes: { "http.route": "/login", "http.response.status_code": 200 },
  });
  expect(second).toMatchObject({
    name: "SELECT",
    kind: 3,
    parentSpanId: first?.spanId,
    failed: true,
    attributes: { "db.system.name": "postgresql", "error.type": "57014" },
  });
});

test("takes the trace of the caller, else the request id, else a random id", async () => {
  await using opened = await open(100);
  const idOf = (span: Span | undefined): string | undefined => span?.traceId;
  expect(idOf(opened.tracing.start("a", { traceparent: traceparent("01"), requestId }, {}))).toBe(caller.traceId);
  expect(idOf(opened.tracing.start("b", without, {}))).toBe(requestId);
  expect(idOf(opened.tracing.start("c", { traceparent: undefined, requestId: "of-another-proxy" }, {}))).toMatch(
    /^(?!0123)[0-9a-f]{32}$/,
  );
});

test("follows the sampled flag of the caller", async () => {
  await using never = await open(0);
  expect(sampled(never.tracing, { traceparent: traceparent("01"), requestId })).toBe(true);
  expect(sampled(never.tracing, without)).toBe(false);
  await using always = await open(100);
  expect(sampled(always.tracing, { traceparent: traceparent("00"), requestId })).toBe(false);
  expect(sampled(always.tracing, without)).toBe(true);
  await never.tracing.stop();
  expect(never.receiver.of(caller.traceId)).toMatchObject([{ parentSpanId: caller.spanId }]);
});

test("samples the given percentage of other requests", async () => {
  await using opened = await open(5);
  const ids = Array.from(
    { length: 1_000 },
    (_, index) => (index * 4_294_967).toString(16).padStart(8, "0").repeat(3) + requestId.slice(0, 8),
  );
  const count = ids.filter((id) => sampled(opened.tracing, { traceparent: undefined, requestId: id })).length;
  expect(count).toBeGreaterThan(20);
  expect(count).toBeLessThan(100);
});

test("bounds the traces of a second and the spans of a trace", async () => {
  await using opened = await open(0);
  const span = opened.tracing.start("request", { traceparent: traceparent("01"), requestId }, {});
  for (let index = 0; index < 300; index += 1) span?.child("SELECT", "client").end();
  span?.end();
  const traced = Array.from({ length: 1_000 }, () =>
    sampled(opened.tracing, { traceparent: traceparent("01"), requestId }),
  ).filter(Boolean);
  // The loop may run into a second second.
  expect(traced.length).toBeLessThanOrEqual(200);
  await opened.tracing.stop();
  expect(opened.receiver.spans.filter(({ name }) => name === "SELECT")).toHaveLength(99);
});

test("reports a collector that does not answer once, and its recovery", async () => {
  await using opened = await open(100);
  const { tracing, receiver, events } = opened;
  receiver.status = 400;
  for (const round of [1, 2, 3]) {
    sampled(tracing, without);
    await new Promise((wake) => setTimeout(wake, 100 * round));
  }
  expect(events).toEqual([{ type: "failed", reason: expect.any(String) as string }]);
  receiver.status = 200;
  sampled(tracing, without);
  await expect.poll(() => events).toHaveLength(2);
  expect(events[1]).toEqual({ type: "recovered" });
});

test("stops in bounded time without a collector", async () => {
  const events: TracingEvent[] = [];
  const tracing = await startTracing({
    service: "test",
    version: "1",
    endpoint: "http://192.0.2.1:4318",
    percent: 100,
    onEvent: (event) => void events.push(event),
  });
  tracing?.start("request", without, {})?.end();
  const start = performance.now();
  await tracing?.stop();
  expect(performance.now() - start).toBeLessThan(4_000);
});
