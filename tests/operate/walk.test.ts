/**
 * The commands of the operator's pages, as written and in order, while a client sends a query and a login every 200 ms.
 * @module
 */
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AlertReceivers } from "../local/support/alert-receivers.ts";
import { makeCertificate } from "../harness/certificate.ts";
import { freePorts } from "../harness/free-ports.ts";
import { hostAddress } from "../harness/host-address.ts";
import { mustRun } from "../harness/process.ts";
import { newStackName } from "../harness/stack-name.ts";
import { figuresOf, type Step } from "./support/figures.ts";
import { Machine } from "./support/machine.ts";
import { markedBlocks } from "./support/pages.ts";
import { PollingClient } from "./support/polling-client.ts";

const blocks = markedBlocks();
const stack = newStackName("operate");
const environment = `.env.${stack}`;
const backups = await mkdtemp(join(tmpdir(), "routeql-backups-"));
const receivers = new AlertReceivers();
const steps: Step[] = [];
const brokenMachines: Machine[] = [];
let machine: Machine;
let client: PollingClient;
let polling: Promise<void>;
let values: ReadonlyMap<string, string>;

beforeAll(async () => {
  const { http } = await receivers.start();
  const words = ["8080", "8443", "32001", "18080", "18443", "18001", "prometheus"];
  const ports = await freePorts(words.length);
  values = new Map([
    ...words.map((word, index): [string, string] => [word, String(ports[index])]),
    ["prod", stack],
    ["rehearsal", newStackName("operate")],
    ["/etc/letsencrypt/live/routes.example.net", "certificates"],
    ["routes.example.net", "localhost"],
    ["https://alerts.example.net", `http://${hostAddress()}:${http}`],
    ["/var/backups", backups],
  ]);
  machine = await Machine.create(values);
  follow(machine);
});

afterAll(async () => {
  client.end();
  await polling;
  for (const one of [machine, ...brokenMachines]) await one[Symbol.asyncDispose]();
  await receivers[Symbol.asyncDispose]();
  await rm(backups, { recursive: true });
  await figuresOf(steps);
});

/** Sends the client to the stack of a machine. */
function follow({ folder }: Machine): void {
  client = new PollingClient(join(folder, ".routeql", stack, "access.env"));
  polling = client.run();
}

interface Expectation {
  /** Requests may fail during this step. */
  readonly interrupts?: true;
  /** A change before the commands. */
  readonly before?: () => Promise<unknown>;
  /** Checks after the commands. @param output of the commands */
  readonly after?: (output: string) => Promise<unknown>;
}

/** Executes a marked block and checks that no request fails, or that the step may interrupt the service. */
function step(name: string, { interrupts, before, after }: Expectation = {}): void {
  const block = blocks.get(name);
  test(`${block?.page ?? "no page"}: ${name}`, { timeout: 900_000 }, async ({ skip }) => {
    if (block === undefined) throw new Error(`no page has a block with the mark ${name}`);
    skip(
      steps.some(({ seconds }) => seconds === undefined),
      "an earlier step failed",
    );
    const record = { name, page: block.page };
    const place = steps.push(record) - 1;
    await before?.();
    if (interrupts === undefined) await client.count();
    const started = performance.now();
    const output = await machine.type(block);
    const seconds = (performance.now() - started) / 1000;
    const count = await client.count();
    await after?.(output);
    steps[place] = { ...record, seconds, ...count };
    if (interrupts === undefined) expect(count.failed, count.reasons.join("; ")).toBe(0);
  });
}

/** The client logs in and queries without a failure. */
async function isServed(): Promise<void> {
  await client.count();
  await sleep(2000);
  const { sent, failed, reasons } = await client.count();
  expect({ failed, reasons }).toEqual({ failed: 0, reasons: [] });
  expect(sent).toBeGreaterThan(10);
}

async function newCertificate(): Promise<void> {
  const { certificate, privateKey } = await makeCertificate();
  await machine.write("certificates/fullchain.pem", certificate);
  await machine.write("certificates/privkey.pem", privateKey);
}

const ofStack = `label=com.routeql.stack=${stack}`;
const names = async (...list: readonly string[]): Promise<string[]> =>
  (await mustRun("docker", [...list, "--filter", ofStack])).split("\n").filter((name) => name !== "");

/** Removes the container and the volume of a service, or of all services, as a broken disk does. */
async function lose(service = ""): Promise<void> {
  const containers = await names("ps", "--all", "--format", "{{.Names}}");
  await mustRun("docker", ["rm", "--force", ...containers.filter((name) => name.endsWith(service))]);
  const volumes = await names("volume", "ls", "--quiet");
  await mustRun("docker", ["volume", "rm", ...volumes.filter((name) => name.includes(service))]);
}

/** A new checkout with the saved state, environment file and backup of a machine that no longer exists, on another Docker engine. */
async function moveToOtherMachine(): Promise<void> {
  const folder = `.routeql/${stack}`;
  const next = await Machine.create(values);
  await next.copyFrom(machine, folder, environment, "certificates");
  const identity = JSON.parse(await readFile(join(next.folder, folder, "identity.json"), "utf8")) as { engine: object };
  const engine = { ...identity.engine, id: "the-broken-machine" };
  await next.write(join(folder, "identity.json"), JSON.stringify({ ...identity, engine }));
  client.end();
  await polling;
  await lose();
  await mustRun("docker", ["network", "rm", ...(await names("network", "ls", "--quiet"))]);
  brokenMachines.push(machine);
  machine = next;
  follow(machine);
}

step("settings", {
  after: () =>
    machine.set(environment, {
      // The client logs in more often than a person.
      LOGIN_REQUESTS_PER_MINUTE_PER_ADDRESS: 6000,
      PROMETHEUS_PORT: Number(values.get("prometheus")),
    }),
});
step("up", { interrupts: true, after: isServed });
step("data");
step("status", { after: async (output) => expect(output).toContain("All is well.") });
step("change-origin");
step("change-limits");
step("certificate", { before: newCertificate, interrupts: true, after: isServed });
step("certificate-renewal", { before: newCertificate, interrupts: true, after: isServed });
step("users-add", { before: () => machine.write("password.txt", "a quiet orchard in april\n") });
step("users-disable");
step("rotate-signing-key");
step("rotate-key-encryption-key");
step("monitoring");
step("alerts", { after: async () => expect(receivers.chat.join("")).toContain("TestAlert") });
step("backup");
step("prune");
step("drill");
step("rehearsal");
step("restore", { interrupts: true, after: isServed });
step("logs");
step("support");
step("down", { interrupts: true, after: isServed });
step("lost-sessions", { before: () => lose("-sessions"), interrupts: true, after: isServed });
step("lost-database", { before: () => lose("-database"), interrupts: true, after: isServed });
step("lost-state", {
  before: () => rm(join(machine.folder, ".routeql", stack), { recursive: true }),
  interrupts: true,
  after: isServed,
});
step("other-machine", { before: moveToOtherMachine, interrupts: true, after: isServed });
step("down-volumes", { interrupts: true });
