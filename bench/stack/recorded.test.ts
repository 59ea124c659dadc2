import { expect, test } from "vitest";
import { recordedGroups } from "./recorded.ts";

const figure = (median: number) => ({ median, least: median, most: median });

test("recorded figures name the way, its ratio and its command", () => {
  const [stack, endToEnd] = recordedGroups({
    quick: true,
    loadBefore: 1.5,
    ways: [
      {
        case: "10 rows",
        way: "engine directly",
        requestsPerSecond: figure(8000),
        ratio: figure(1),
        p50Milliseconds: figure(1),
        p99Milliseconds: figure(2),
        bytes: 1,
      },
      {
        case: "10 rows",
        way: "gateway, TLS, kept alive",
        requestsPerSecond: figure(5000),
        ratio: figure(0.625),
        p50Milliseconds: figure(2),
        p99Milliseconds: figure(4),
        bytes: 1,
      },
    ],
    half: [
      {
        case: "10 rows",
        requestsPerSecond: 2500,
        addedP50Milliseconds: 0.25,
        addedP99Milliseconds: 1.5,
        gatewayMicroseconds: 120,
        engineMicroseconds: 330,
      },
    ],
    live: [{ way: "gateway, TLS", subscribers: 10_000, p50Milliseconds: 500, p95Milliseconds: 900, missing: 0 }],
    steps: [{ step: "login with a password", times: 10, p50Milliseconds: 40, p95Milliseconds: 50 }],
    loadRowsPerSecond: 30_000,
    upSeconds: 20,
  });
  expect(stack?.source).toContain("npm run bench:stack -- --quick --record");
  expect(stack?.source).toContain("load average before the run 1.50");
  expect(stack?.figures).toEqual([
    { what: "10 rows: gateway, TLS, kept alive", figure: "0.63 (0.63 to 0.63)", source: "p50 2.00 ms, p99 4.00 ms" },
    {
      what: "10 rows: added latency at half load",
      figure: "p50 0.25 ms, p99 1.50 ms",
      source: "2,500 requests/s; processor time of gateway 120 µs, engine 330 µs",
    },
    {
      what: "change to client, 10,000 subscribers: gateway, TLS",
      figure: "p50 500 ms, p95 900 ms",
      source: "0 messages missing",
    },
  ]);
  expect(endToEnd?.figures).toEqual([
    { what: "login with a password", figure: "p50 40.0 ms, p95 50.0 ms", source: "10 times" },
    { what: "load of generated updates", figure: "30,000 rows/s", source: "with the start of the command" },
    { what: "start of a stack", figure: "20.0 s", source: "images present" },
  ]);
});
