/** Pages behind one address that stay open while the service has one bad moment after another. */
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { makeAccount } from "../e2e/support/clients/accounts.ts";
import { done, rows } from "../e2e/support/stack/administer.ts";
import { loadDemo } from "../e2e/support/data/data.ts";
import { containerOf } from "../e2e/support/stack/docker.ts";
import { loadLines } from "../e2e/support/data/load-lines.ts";
import { announcement } from "../e2e/support/data/small-world.ts";
import { stack } from "../e2e/support/stack/stack.ts";
import { cutOff, reconnect } from "../faults/support/parts.ts";
import { mustRun } from "../harness/process.ts";
import type { PageReport } from "./support/pages.ts";
import { Writer } from "./support/writer.ts";

const minutes = Number(process.env["ROUTEQL_CLIENTS_MINUTES"] ?? 60);
const pageCount = 60;

const restart = (part: Parameters<typeof containerOf>[0]) => (): Promise<string> =>
  mustRun("docker", ["restart", "--time", "5", containerOf(part)]);

test("no page loses its stream, and each row arrives once", { timeout: (minutes + 20) * 60_000 }, async () => {
  await loadDemo();
  // Creates the partition of this month.
  await loadLines([announcement({ prefix: "198.18.255.0/24" }).text]);
  const accounts = await Promise.all(Array.from({ length: pageCount }, () => makeAccount("viewer")));
  const faults: readonly (readonly [string, () => Promise<unknown>])[] = [
    ["gateway reloaded", () => mustRun("docker", ["kill", "--signal", "HUP", containerOf("gateway")])],
    ["engine replaced", restart("engine")],
    [
      "roles changed",
      async () => {
        for (const { email } of accounts.slice(0, 5)) await done(["users", "role", email, "operator"]);
        for (const { email } of accounts.slice(0, 5)) await done(["users", "role", email, "viewer"]);
      },
    ],
    [
      "key retired",
      async () => {
        const signing = (await rows(["keys", "list"])).find(({ state }) => state === "signing");
        await done(["keys", "retire", String(signing?.["id"])]);
      },
    ],
    [
      "network away for a minute",
      async () => {
        await cutOff("gateway");
        await sleep(60_000);
        await reconnect("gateway");
      },
    ],
    ["auth sidecar restarted", restart("auth-sidecar")],
    ["session store restarted", restart("sessions")],
    ["database restarted", restart("database")],
    ["gateway replaced", restart("gateway")],
  ];
  // Positions follow the clock in microseconds.
  const from = Date.now() * 1000;
  const pages = spawn(process.execPath, ["tests/clients/support/pages.ts"], {
    env: { ...process.env, NODE_EXTRA_CA_CERTS: stack.caFile },
    stdio: ["pipe", "pipe", "inherit"],
  });
  const output = text(pages.stdout);
  pages.stdin.write(
    `${JSON.stringify({ api: stack.url, from, accounts: accounts.map(({ email, password }) => ({ email, password })) })}\n`,
  );
  const writer = new Writer();
  const end = performance.now() + minutes * 60_000;
  const pause = (minutes * 60_000) / (2 * faults.length);
  for (let turn = 0; performance.now() < end; turn += 1) {
    const [name, inject] = faults[turn % faults.length]!;
    console.log(`${Math.round((end - performance.now()) / 1000)} s left: ${name}`);
    await inject();
    await sleep(Math.min(pause, 240_000));
  }
  await sleep(150_000);
  await writer.stop();
  await sleep(5000);
  pages.stdin.end("\n");
  const reports = JSON.parse(await output) as readonly PageReport[];

  const longest = Math.max(...reports.map(({ longestSilence }) => longestSilence));
  const sum = (key: "logins" | "interruptions") => reports.reduce((total, report) => total + report[key], 0);
  console.log(
    `${writer.written.length} rows, ${reports.length} pages, longest silence ${longest.toFixed(0)} s, ${sum("logins")} attempts to log in, ` +
      `${sum("interruptions")} errors after which a stream continued`,
  );
  expect(reports).toHaveLength(pageCount);
  expect(writer.written.length).toBeGreaterThan(minutes * 30);
  const counts = reports.map(({ rows: arrived, errors }) => ({
    lost: writer.written.filter((prefix) => arrived[prefix] === undefined),
    repeated: Object.entries(arrived).filter(([, times]) => times > 1),
    errors,
  }));
  expect(counts).toEqual(counts.map(() => ({ lost: [], repeated: [], errors: [] })));
  expect(longest).toBeLessThan(300);
});
