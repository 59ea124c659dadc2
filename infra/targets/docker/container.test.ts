import { execFile } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { dockerHealthCheck } from "./container.ts";
import { acceptsStartInterval } from "./provider-daemon.ts";

const start = promisify(execFile);

/** Runs a check against a server that answers with a status, or against a closed port. */
async function healthy(status: number | undefined, path = "/healthz?strict=true"): Promise<boolean> {
  const asked: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.writeHead(status ?? 500).end("body");
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<void>((resolve) => void server.close(() => resolve()));
  if (status === undefined) await close();
  const [, command = "", ...rest] = dockerHealthCheck({ kind: "http", port, path }, false).tests as string[];
  try {
    await start(command, rest);
    return true;
  } catch {
    return false;
  } finally {
    if (status !== undefined) {
      await close();
      expect(asked).toEqual([path]);
    }
  }
}

test.each([200, 204])("status %s is healthy", async (status) => expect(await healthy(status)).toBe(true));
test.each([301, 401, 404, 500, 503])("status %s is not healthy", async (status) =>
  expect(await healthy(status)).toBe(false),
);
test("a closed port is not healthy", async () => expect(await healthy(undefined)).toBe(false));

test("uses a command unchanged", () => {
  expect(dockerHealthCheck({ kind: "command", command: ["pg_isready", "--quiet"] }, false).tests).toEqual([
    "CMD",
    "pg_isready",
    "--quiet",
  ]);
});

test("checks are rare once a service is healthy, on daemons that check more often at the start", () => {
  const check = { kind: "command", command: ["true"] } as const;
  expect(dockerHealthCheck(check, true)).toMatchObject({ interval: "30s", startInterval: "2s", retries: 3 });
  expect(dockerHealthCheck(check, false)).toMatchObject({ interval: "5s" });
  expect(dockerHealthCheck(check, false)).not.toHaveProperty("startInterval");
});

test.each([
  ["1.41", false],
  ["1.43", false],
  ["1.44", true],
  ["1.52", true],
  ["2.0", true],
])("the API %s accepts a start interval: %s", (version, accepted) =>
  expect(acceptsStartInterval(version)).toBe(accepted),
);
