import { openSync } from "node:fs";
import { mkdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { canInstallPackages, findProgram, installPackages } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { run } from "@routeql/host/process";
import { dockerClient, engineProblem } from "@routeql/host/docker/client";
import { type EngineAddress, engineAddress, standardOrigin } from "@routeql/host/docker/engine-address";

const startMilliseconds = 60_000;
const answerMilliseconds = 5_000;

export interface EngineOptions {
  readonly say: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

interface EngineVersion {
  readonly Version: string;
  readonly Components?: readonly { readonly Name: string; readonly Version: string }[];
}

/** @throws Failure for Podman, whose API differs where a stack needs it */
export function refusePodman({ Components = [] }: EngineVersion, { endpoint, origin }: EngineAddress): void {
  const podman = Components.find(({ Name }) => Name.startsWith("Podman"));
  if (podman === undefined) return;
  throw new Failure(`The engine at ${endpoint} (${origin}) is Podman ${podman.Version}, which is not supported`, {
    remedy:
      "use a Docker engine (rootless Docker needs no root either) and name it in DOCKER_HOST or a Docker context. " +
      "Podman refuses the owner of memory file systems (tmpfs uid=) and uploads into a container that does not run.",
  });
}

/** Version of the engine that answers, or the reason why none answers. */
async function ask(address: EngineAddress): Promise<{ version: string } | { error: unknown }> {
  const limit = AbortSignal.timeout(answerMilliseconds);
  try {
    const answer = dockerClient().version() as Promise<EngineVersion>;
    const tooLate = new Promise<never>((_, reject) => {
      limit.addEventListener("abort", () => reject(new Error(`no answer within ${answerMilliseconds / 1000} s`)), {
        once: true,
      });
    });
    const version = await Promise.race([answer, tooLate]);
    refusePodman(version, address);
    return { version: version.Version };
  } catch (error) {
    if (error instanceof Failure) throw error;
    return { error };
  }
}

const mayBeAbsent = (error: unknown): boolean =>
  ["ENOENT", "ECONNREFUSED"].includes((error as NodeJS.ErrnoException).code ?? "");

/** Ensures that a Docker engine answers; installs and starts one on this machine if possible. */
export async function ensureEngine(options: EngineOptions): Promise<string> {
  const address = engineAddress();
  const first = await ask(address);
  if ("version" in first) return `${first.version} at ${address.endpoint} (${address.origin})`;
  if (address.origin !== standardOrigin || !mayBeAbsent(first.error)) throw engineProblem(first.error, address);
  await install(options);
  options.say("starting the Docker engine");
  await start(options);
  const now = await ask(address);
  if ("version" in now) return now.version;
  throw engineProblem(now.error, address);
}

async function install({ say, onLine }: EngineOptions): Promise<void> {
  if (await findProgram("dockerd")) return;
  if (!(await canInstallPackages())) {
    throw new Failure("This machine has no Docker engine", {
      remedy:
        "install and start one: `apt-get install docker.io iptables` (Debian, Ubuntu), or see docs.docker.com/engine/install.",
    });
  }
  say("installing docker.io");
  await installPackages(["docker.io", "iptables"], onLine, "the Docker engine that runs the stack");
}

const isSystemd = (): Promise<boolean> =>
  stat("/run/systemd/system").then(
    (entry) => entry.isDirectory(),
    () => false,
  );

async function start(options: EngineOptions): Promise<void> {
  // The installed package may be starting the engine.
  if (await answersWithin(2_000)) return;
  if (process.getuid?.() !== 0) {
    throw new Failure("The Docker engine is installed but not running", {
      remedy: "start it as root: `systemctl start docker` (or `dockerd`).",
    });
  }
  if (await isSystemd()) {
    await run("systemctl", ["start", "docker"], { ...options, remedy: "see `journalctl --unit docker`." });
    if (!(await answersWithin(startMilliseconds)))
      throw new Failure("The Docker engine did not start", { remedy: "see `journalctl --unit docker`." });
    return;
  }
  await removeStaleProcessIdFiles();
  await startDetached(options);
}

const processIdFiles = [
  { file: "/var/run/docker.pid", program: "dockerd" },
  { file: "/var/run/docker/containerd/containerd.pid", program: "containerd" },
];

/** A killed engine leaves its process id files. Once another program has such an id, the engine refuses to start. */
async function removeStaleProcessIdFiles(): Promise<void> {
  for (const { file, program } of processIdFiles) {
    const id = (await readFile(file, "utf8").catch(() => "")).trim();
    if (id === "") continue;
    const running = await readlink(`/proc/${id}/exe`).catch(() => "");
    if (!running.startsWith(join(dirname(running), program))) await rm(file, { force: true });
  }
}

/** Starts a `dockerd` that outlives this process; its log is .routeql/dockerd.log. */
async function startDetached({ signal }: EngineOptions): Promise<void> {
  const program = await findProgram("dockerd");
  if (!program) throw new Failure("dockerd is not on PATH", { remedy: "install the Docker engine." });
  const folder = join(projectFolder, ".routeql");
  await mkdir(folder, { recursive: true });
  const logFile = join(folder, "dockerd.log");
  const log = openSync(logFile, "a", 0o600);
  const child = spawn(program, [], { detached: true, stdio: ["ignore", log, log] });
  child.unref();
  const ended = (): boolean => child.exitCode !== null || child.signalCode !== null;
  const end = Date.now() + startMilliseconds;
  while (Date.now() < end && !ended()) {
    signal.throwIfAborted();
    if (await answersWithin(500)) return;
  }
  const lines = (await readFile(logFile, "utf8").catch(() => "")).split("\n").filter(Boolean).slice(-15);
  const what = ended()
    ? `ended with ${child.signalCode ?? `exit code ${child.exitCode}`}`
    : `did not answer within ${startMilliseconds / 1000} s`;
  throw new Failure(`dockerd ${what}`, {
    lastLines: lines,
    remedy: `its log is ${logFile}. If this machine lacks root, cgroups or iptables, use another engine (DOCKER_HOST).`,
  });
}

async function answersWithin(milliseconds: number): Promise<boolean> {
  const end = Date.now() + milliseconds;
  for (;;) {
    if ("version" in (await ask(engineAddress()))) return true;
    if (Date.now() >= end) return false;
    await sleep(200);
  }
}
