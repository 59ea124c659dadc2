import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { bringDown, bringUp } from "../../../harness/stack/commands.ts";
import { stackPaths } from "@routeql/host/paths";
import { parseEnvironmentFile } from "@routeql/infra/settings/reading/environment-file";
import { evidence, keepInspection, keepState, keepText, noteSecret } from "../../../harness/run/evidence.ts";
import { freePorts } from "../../../harness/free-ports.ts";
import { mustRun, run } from "../../../harness/process.ts";
import { engineOfTheRun } from "./engine-of-the-run.ts";
import { secretsOfContainer } from "./stack-secrets.ts";

/** Settings by name (`httpsPort`), in the form of `npm run up`. */
export type Settings = Readonly<Record<string, string>>;

/** Origin of the pages that may call the API of a suite's stack. */
export const pageOrigin = "http://localhost:5173";

/** Starts a suite's own stack, under a name that no other suite uses. Returns the path of its access.env. */
export async function bringUpOwn(name: string, settings: Settings = {}): Promise<string> {
  const [httpPort, httpsPort, consolePort] = await freePorts(3);
  const forTests = {
    httpPort: String(httpPort),
    httpsPort: String(httpsPort),
    consolePort: String(consolePort),
    engineConsole: "true",
    corsOrigins: pageOrigin,
    // The minimum, so that a test can wait for a token's expiry.
    tokenLifeSeconds: "60",
    // All clients of the suite share one address.
    loginAttemptsPerAddress: "1000",
    loginRequestsPerMinutePerAddress: "6000",
    requestsPerSecondPerAddress: "500",
    requestBurst: "1000",
    connectionsPerAddress: "1000",
  };
  const all = { ...forTests, ...engineOfTheRun(), ...settings };
  await bringUp({ stack: name, settings: all, log: (line) => console.log(line) });
  await writeFile(settingsFile(name), JSON.stringify(all));
  return stackPaths(name).accessFile;
}

/** Updates the same stack with these settings in addition to its first ones, of which it leaves out those named in `without`. */
export async function updateOwn(name: string, settings: Settings, without: readonly string[] = []): Promise<void> {
  const before = Object.entries(JSON.parse(await readFile(settingsFile(name), "utf8")) as Settings);
  const kept = Object.fromEntries(before.filter(([key]) => !without.includes(key)));
  await bringUp({ stack: name, settings: { ...kept, ...settings } });
}

const settingsFile = (name: string): string => join(dirname(stackPaths(name).accessFile), "test-settings.json");

/** Removes the stack with its data. Keeps the logs of its containers if the run requests them, and its secrets for the secrets suite. */
export async function takeDownOwn(name: string): Promise<void> {
  await keepLogs(name);
  await keepEvidence(name);
  await bringDown({ stack: name, volumes: true });
  // The state and its passphrase are no longer needed; only the logs of the commands may be.
  const folder = dirname(stackPaths(name).accessFile);
  for (const entry of await readdir(folder)) if (entry !== "logs") await rm(join(folder, entry), { recursive: true });
}

/** Removes the stack that an interrupted run of a suite left, and returns whether there was one. Keeps a stack that the caller provides. */
export async function takeDownLeftStack(name: string): Promise<boolean> {
  const given = process.env["ROUTEQL_ACCESS_FILE"];
  if (given !== undefined && basename(dirname(given)) === name) return false;
  if (!(await isHere(name))) return false;
  await takeDownOwn(name);
  return true;
}

/** Whether containers of this checkout's stack exist; another checkout may run a suite's stack with the same name. */
async function isHere(name: string): Promise<boolean> {
  const text = await readFile(stackPaths(name).identityFile, "utf8").catch(() => undefined);
  if (text === undefined) return false;
  const { state } = JSON.parse(text) as { state: string };
  const { stdout } = await run("docker", [
    "ps",
    "--all",
    "--quiet",
    "--filter",
    `label=com.routeql.stack=${name}`,
    "--filter",
    `label=com.routeql.state=${state}`,
  ]);
  return stdout.trim() !== "";
}

/** Names of the containers of all checkouts' stacks with this name. */
export async function containersOf(name: string): Promise<string[]> {
  const filter = `label=com.routeql.stack=${name}`;
  const names = await mustRun("docker", ["ps", "--all", "--filter", filter, "--format", "{{.Names}}"]);
  return names.split("\n").filter((line) => line !== "");
}

async function keepLogs(name: string): Promise<void> {
  const folder = process.env["ROUTEQL_TEST_LOGS"];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  for (const container of await containersOf(name)) {
    const { stdout, stderr } = await run("docker", ["logs", "--timestamps", container]);
    await writeFile(join(folder, `${container}.log`), stdout + stderr, { mode: 0o600 });
  }
}

const secretNames = new Set(["SERVICE_API_KEY", "ENGINE_ACCESS_KEY", "ADMIN_PASSWORD"]);

async function keepEvidence(name: string): Promise<void> {
  if (process.env["ROUTEQL_TEST_EVIDENCE"] === undefined) return;
  const text = await readFile(stackPaths(name).accessFile, "utf8").catch(() => "");
  for (const entry of parseEnvironmentFile(text).entries)
    if (secretNames.has(entry.name)) noteSecret(`${name}: ${entry.name}`, entry.value);
  const { passphrase, state } = stackPaths(name);
  const phrase = await readFile(passphrase, "utf8").catch(() => "");
  if (phrase !== "") noteSecret(`${name}: passphrase of the state`, phrase.trim());
  keepState(name, state);
  for (const container of await containersOf(name)) {
    for (const secret of await secretsOfContainer(container, container)) noteSecret(...secret);
    await keepInspection(container);
    const { code, stdout } = await run("docker", ["top", container, "-eo", "pid,args"]);
    if (code === 0) keepText(evidence.inspections, `${container}-processes.txt`, stdout);
  }
}
