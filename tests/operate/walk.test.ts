/**
 * The commands of the operator's pages, as written and in order, while a client sends a query and a login every 200 ms. The stack is like
 * one in production: a company's certificate authority, a directory, monitoring and backups, with other values than the pages.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startDirectory } from "../auth-sidecar/directory-container.ts";
import { keepDrill } from "../harness/figures/drills.ts";
import { freePorts } from "../harness/free-ports.ts";
import { hostAddress } from "../harness/docker/host-address.ts";
import { mustRun } from "../harness/process.ts";
import { newStackName } from "../harness/run/stack-name.ts";
import { AlertReceivers } from "../local/support/alert-receivers.ts";
import { certify, createAuthority } from "./support/company-authority.ts";
import { Machine } from "./support/machine.ts";
import { markedBlocks } from "./support/pages.ts";
import { PollingClient } from "./support/polling-client.ts";

const blocks = markedBlocks();
const stack = newStackName("operate");
const environment = `.env.${stack}`;
const folder = await mkdtemp(join(tmpdir(), "routeql-operate-"));
const receivers = new AlertReceivers();
const undo: (() => Promise<unknown>)[] = [() => rm(folder, { recursive: true })];
let machine: Machine;
let client: PollingClient;
let values: Map<string, string>;

beforeAll(async () => {
  const { http } = await receivers.start();
  undo.push(() => receivers[Symbol.asyncDispose]());
  await createAuthority(folder);
  const host = hostAddress();
  const directory = await startDirectory("openldap", `IP:${host}`);
  undo.push(() => directory.stop());
  const words = ["8080", "8443", "32001", "18080", "18443", "18001", "prometheus"];
  const ports = await freePorts(words.length);
  values = new Map([
    ...words.map((word, index): [string, string] => [word, String(ports[index])]),
    ["site", stack],
    ["rehearsal", newStackName("operate")],
    ["/etc/letsencrypt/live/routes.example.net", "certificates"],
    ["/etc/ssl/company-root.pem", join(folder, "root.pem")],
    ["routes.example.net", hostname()],
    ["operator@example.net", "noc@walk.example"],
    ["https://alerts.example.net", `http://${host}:${http}`],
    ["ldaps://ldap1.example.net ldaps://ldap2.example.net", `ldaps://${host}:${directory.getPublishedTlsPort()}`],
    ["<its password>", "routeql has a password"],
    ["/var/backups", folder],
  ]);
  machine = await Machine.create(values);
  undo.push(() => machine.dispose());
  await machine.write("directory-ca.pem", directory.ca);
  await machine.write("password.txt", "a quiet orchard in april\n");
  follow();
});

afterAll(async () => {
  await client.end();
  for (const step of undo.toReversed()) await step();
});

/** Sends the client to the stack of the current machine. */
function follow(): void {
  client = new PollingClient(join(machine.folder, ".routeql", stack, "access.env"), join(folder, "root.pem"));
}

interface Expectation {
  /** The block; by default the one with the step's name. */
  readonly block?: string;
  /** Seconds for which requests may fail; by default none does. */
  readonly interrupts?: number;
  /** Seconds after the commands in which their effects still arrive; the step counts the requests of this time too. */
  readonly settles?: number;
  /** A change before the commands. */
  readonly before?: () => Promise<unknown>;
  /** Checks after the commands. @param output of the commands */
  readonly after?: (output: string) => Promise<unknown> | void;
}

/** Executes a marked block and counts the requests that fail until the client is served again. */
function step(
  name: string,
  { block: mark = name, interrupts = 0, settles = 1, before, after }: Expectation = {},
): void {
  const block = blocks.get(mark);
  test(`${block?.page ?? "no page"}: ${name}`, { timeout: 900_000 }, async () => {
    if (block === undefined) throw new Error(`no page has a block with the mark ${mark}`);
    client.count();
    await before?.();
    const started = performance.now();
    const output = await machine.type(block.commands);
    const seconds = (performance.now() - started) / 1000;
    await sleep(settles * 1000);
    const count = client.count();
    await after?.(output);
    await isServed();
    const within = count.failed === 0 ? "" : ` within ${count.gap.toFixed(1)} s`;
    const figure = `${seconds.toFixed(0)} s, ${count.failed} of ${count.sent} requests failed${within}`;
    keepDrill("Docker", `${block.page.replace(/^\w+\//, "")}: ${name.replaceAll("-", " ")}`, figure);
    if (interrupts === 0) expect(count.failed, count.reasons.join("; ")).toBe(0);
    expect(count.gap, count.reasons.join("; ")).toBeLessThanOrEqual(interrupts);
  });
}

/** The client logs in and queries without a failure. */
async function isServed(): Promise<void> {
  client.count();
  await sleep(1500);
  const { failed, reasons } = client.count();
  expect({ failed, reasons }).toEqual({ failed: 0, reasons: [] });
}

async function newCertificate(): Promise<void> {
  const [chain, key] = await certify(folder, hostname());
  await machine.write("certificates/fullchain.pem", chain);
  await machine.write("certificates/privkey.pem", key);
}

/** Removes the data of a service with all containers that use it, or everything of the stack, as a broken disk does. */
async function lose(service?: string): Promise<void> {
  const list = async (filter: string, ...command: readonly string[]): Promise<string[]> =>
    (await mustRun("docker", [...command, "--quiet", "--filter", filter])).split("\n").filter(Boolean);
  const every = `label=com.routeql.stack=${stack}`;
  const volume = `routeql-${stack}-${service}-data`;
  const containers = await list(service === undefined ? every : `volume=${volume}`, "ps", "--all");
  const volumes = service === undefined ? await list(every, "volume", "ls") : [volume];
  await mustRun("docker", ["rm", "--force", ...containers]);
  await mustRun("docker", ["volume", "rm", ...volumes]);
  if (service === undefined) await mustRun("docker", ["network", "rm", ...(await list(every, "network", "ls"))]);
}

/** A new checkout on an empty machine, with the files that the operator has elsewhere. */
async function moveToEmptyMachine(): Promise<void> {
  const next = await Machine.create(values);
  await next.copyFrom(machine, "certificates", "directory-ca.pem", "backup-key.pem");
  await client.end();
  await lose();
  await machine.dispose();
  machine = next;
  follow();
}

// The pages say two seconds, for a machine with nothing else to do.
const shortInterruption = 5;
const outage = Number.POSITIVE_INFINITY;

step("settings", {
  after: () =>
    // The client logs in more often than a person.
    machine.append(
      environment,
      `LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS=6000\nPROMETHEUS_PORT=${values.get("prometheus")}\n`,
    ),
});
step("up", { interrupts: outage });
step("start");
step("query");
/** Seconds after which every token of a withdrawn key is rejected. Then the client needs a new one. */
const untilRejected = 20;

step("detect");
step("replay", {
  after: (output) => {
    expect(output).toMatch(/"prefix": ?"192\.0\.2\.0\/24"/);
    expect(output).toMatch(/"withdrawn": ?true/);
  },
});
step("status", { after: (output) => expect(output).toContain("All is well.") });
step("change-origin");
step("change-limits");
step("ldap-accounts");
step("certificate", { before: newCertificate });
step("certificate-renewal", { before: newCertificate });
step("add-user");
step("disable-user");
step("rotate-signing-key");
step("retire-signing-key", {
  before: async () => {
    const keys = await machine.type("npm run --silent keys -- --stack site list --json");
    const { id } = (JSON.parse(keys) as { id: string; state: string }[]).find(({ state }) => state === "signing")!;
    values.set("Qr8iGoNNw5c9-teaJPXaGOIlgJPmW6ppcWz4WqACN0g", id);
  },
  settles: untilRejected,
  interrupts: shortInterruption,
});
step("rotate-secrets");
step("monitoring");
step("alerts", { after: () => expect(receivers.chat.join("")).toContain("TestAlert") });
step("silence");
step("backup");
step("prune");
step("drill");
step("rehearsal");
// A restore withdraws the signing keys.
step("restore", { interrupts: outage, settles: untilRejected });
step("restore-latest", { interrupts: outage, settles: untilRejected });
step("logs");
step("support");
step("upgrade", {
  before: async () => {
    for (const service of ["engine", "auth-sidecar"])
      await machine.append(`${service}/src/main.ts`, "// another version\n");
    await machine.append("images/gateway/Dockerfile", "# another version\n");
  },
  interrupts: shortInterruption,
});
step("stopped-service", { before: () => mustRun("docker", ["stop", `routeql-${stack}-engine`]), interrupts: outage });
step("down", { interrupts: outage });
step("lost-sessions", { block: "stopped-service", before: () => lose("sessions"), interrupts: outage });
step("lost-database", { before: () => lose("database"), interrupts: outage });
step("lost-state", {
  before: () => rm(join(machine.folder, ".routeql", stack), { recursive: true }),
  interrupts: outage,
  settles: untilRejected,
});
step("backup-key");
step("complete-backup");
step("empty-machine", { before: moveToEmptyMachine, interrupts: outage });
step("down-volumes", { interrupts: outage });
