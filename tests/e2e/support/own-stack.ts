import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { accessFileOf, bringDown, bringUp } from "../../../infra/local/api.ts";
import { freePorts } from "../../harness/free-ports.ts";
import { run } from "../../harness/process.ts";

const name = "e2e";

/** Brings the suite's own stack up. Returns the path of its access.env. */
export async function bringUpOwn(): Promise<string> {
  const [httpPort, httpsPort, consolePort] = await freePorts(3);
  const settings = {
    httpPort: String(httpPort),
    httpsPort: String(httpsPort),
    consolePort: String(consolePort),
    engineConsole: "true",
    // The least there is, so that a token's end can be waited for.
    tokenLifeSeconds: "60",
    // All clients of the suite share one address.
    loginAttemptsPerAddress: "1000",
    loginRequestsPerMinutePerAddress: "6000",
    requestsPerSecondPerAddress: "500",
    requestBurst: "1000",
    connectionsPerAddress: "1000",
  };
  await bringUp({ stack: name, settings, log: (line) => console.log(line) });
  return accessFileOf(name);
}

/** Takes the stack down with its data; the logs of its containers are kept where the run asks for it. */
export async function takeDownOwn(): Promise<void> {
  await keepLogs();
  await bringDown({ stack: name, volumes: true });
  // The state and its passphrase open nothing any more; only the logs of the commands may still be wanted.
  const folder = dirname(accessFileOf(name));
  for (const entry of await readdir(folder)) if (entry !== "logs") await rm(join(folder, entry), { recursive: true });
}

/** What an interrupted run of the suite left standing; a stack that was named in ROUTEQL_ACCESS_FILE is not ours to take down. */
export async function takeDownLeftStack(): Promise<void> {
  if (process.env["ROUTEQL_ACCESS_FILE"] !== undefined) return;
  const { stdout } = await run("docker", ["ps", "--all", "--quiet", "--filter", `label=com.routeql.stack=${name}`]);
  if (stdout.trim() !== "") await takeDownOwn();
}

async function keepLogs(): Promise<void> {
  const folder = process.env["ROUTEQL_TEST_LOGS"];
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const { stdout } = await run("docker", ["ps", "--all", "--filter", `label=com.routeql.stack=${name}`, "--format", "{{.Names}}"]);
  for (const container of stdout.split("\n").filter((line) => line !== "")) {
    const { stdout: out, stderr } = await run("docker", ["logs", "--timestamps", container]);
    await writeFile(join(folder, `${container}.log`), out + stderr, { mode: 0o600 });
  }
}
