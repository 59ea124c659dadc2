import { expect, test } from "vitest";
import { Failure } from "@routeql/host/failure";
import { parseArguments, type ParsedArguments } from "../foundation/command.ts";
import { command } from "../commands/logs.ts";
import { type LogReader, printLogs, readLogOptions, readSince, selectReaders } from "./logs.ts";

const parse = (...args: readonly string[]): ParsedArguments => parseArguments(command.description, args);
const id = "0123456789abcdef0123456789abcdef";
const never = new AbortController().signal;

const reader = (service: string, ...lines: readonly string[]): LogReader => ({
  service,
  container: `routeql-local-${service}`,
  label: service,
  read: async (onLine) => lines.forEach(onLine),
});

const readers = [
  reader(
    "engine",
    `2026-05-04T10:00:00.5Z {"level":"info","time":"x","requestId":"${id}","status":200}`,
    "2026-05-04T10:00:03Z plain \u001b[31mtext",
  ),
  reader(
    "gateway",
    "2026-05-04T10:00:00.25Z {broken",
    `2026-05-04T10:00:01.000000001Z {"request_id":"${id}","trace_id":"${id}","status":200}`,
  ),
  reader("auth-sidecar", `2026-05-04T10:00:02Z {"audit":{"event":"token","requestId":"${id}"}}`),
];

async function printed(options: Parameters<typeof printLogs>[1]): Promise<string[]> {
  const lines: string[] = [];
  await printLogs(readers, options, never, (line) => lines.push(line));
  return lines;
}

test.each([false, true])(
  "prints all other logs before it fails for an unreadable one, with follow %s",
  async (follow) => {
    const broken: LogReader = { ...reader("front"), read: () => Promise.reject(new Failure("no file")) };
    const [lines, warnings]: [string[], string[]] = [[], []];
    const options = { follow, requestId: undefined, json: false };
    const printing = printLogs(
      [broken, ...readers],
      options,
      never,
      (line) => lines.push(line),
      (text) => warnings.push(text),
    );
    await expect(printing).rejects.toThrow("no file");
    expect(lines).toHaveLength(5);
    expect(warnings).toEqual(follow ? ["Failed: no file"] : []);
  },
);

test("prints the lines of all services in order of time", async () => {
  expect(
    (await printed({ follow: false, requestId: undefined, json: false })).map((line) => line.split(" ")[0]),
  ).toEqual(["gateway", "engine", "gateway", "auth-sidecar", "engine"]);
});

test("escapes control characters, which a client can write into a log, in text for a terminal", async () => {
  const lines = await printed({ follow: false, requestId: undefined, json: false });
  expect(lines.at(-1)).toMatch(/ plain \\u\{1b\}\[31mtext$/);
});

test("prints valid JSON with the same field names for every service", async () => {
  const entries = (await printed({ follow: false, requestId: undefined, json: true })).map(
    (line) => JSON.parse(line) as Record<string, unknown>,
  );
  expect(entries).toEqual([
    { message: "{broken", time: "2026-05-04T10:00:00.25Z", service: "gateway", container: "routeql-local-gateway" },
    {
      level: "info",
      status: 200,
      time: "2026-05-04T10:00:00.5Z",
      service: "engine",
      container: "routeql-local-engine",
      requestId: id,
    },
    {
      request_id: id,
      trace_id: id,
      status: 200,
      time: "2026-05-04T10:00:01.000000001Z",
      service: "gateway",
      container: "routeql-local-gateway",
      requestId: id,
      traceId: id,
    },
    {
      audit: { event: "token", requestId: id },
      time: "2026-05-04T10:00:02Z",
      service: "auth-sidecar",
      container: "routeql-local-auth-sidecar",
      requestId: id,
    },
    {
      message: "plain \u001b[31mtext",
      time: "2026-05-04T10:00:03Z",
      service: "engine",
      container: "routeql-local-engine",
    },
  ]);
});

test("prints only the lines of one request", async () => {
  const lines = await printed({ follow: false, requestId: id, json: true });
  expect(lines.map((line) => (JSON.parse(line) as { service: string }).service)).toEqual([
    "engine",
    "gateway",
    "auth-sidecar",
  ]);
});

test("names the services that a stack has when one is unknown", () => {
  expect(() => selectReaders(readers, ["engin"])).toThrow(
    expect.objectContaining({
      message: "There is no service engin",
      remedy: "choose from engine, gateway, auth-sidecar.",
    }),
  );
});

test.each([
  ["30s", "2026-05-04T09:59:30.000Z"],
  ["10m", "2026-05-04T09:50:00.000Z"],
  ["1d", "2026-05-03T10:00:00.000Z"],
  ["2026-05-01T00:00:00Z", "2026-05-01T00:00:00.000Z"],
])("reads --since %s", (text, expected) =>
  expect(readSince(text, Date.parse("2026-05-04T10:00:00Z")).toISOString()).toBe(expected),
);

test.each(["10", "m", "-5m", "yesterday", "2026-99-01"])("rejects --since %s with an example", (text) =>
  expect(() => readSince(text)).toThrow(
    expect.objectContaining({ remedy: expect.stringContaining("--since 10m") as string }),
  ),
);

test("reads the last 200 lines, or all lines of a period or a request", () => {
  expect(readLogOptions(parse()).tail).toBe(200);
  expect(readLogOptions(parse("--since", "10m")).tail).toBeUndefined();
  expect(readLogOptions(parse("--request-id", id)).tail).toBeUndefined();
  expect(readLogOptions(parse("--request-id", id, "--tail", "5")).tail).toBe(5);
  expect(() => readLogOptions(parse("--tail", "x"))).toThrow("--tail takes a number of lines");
  expect(() => readLogOptions(parse("--request-id", "a b"))).toThrow("is no request id");
});
