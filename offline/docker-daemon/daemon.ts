import { openSync } from "node:fs";
import { mkdir, readFile, readlink, rm, stat } from "node:fs/promises";
import { spawn } from "node:child_process";
import { dirname, join } from "node:path";
import type { Work } from "@routeql/host/work";
import { canInstallPackages, findProgram, installPackages } from "@routeql/host/apt";
import { Failure } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { run } from "@routeql/host/process";

const startMilliseconds = 60_000;

export async function installDaemon({ say, onLine }: Pick<Work, "say" | "onLine">): Promise<void> {
  if (await findProgram("dockerd")) return;
  if (!(await canInstallPackages())) {
    throw new Failure("This machine has no Docker daemon", {
      remedy:
        "install and start one: `apt-get install docker.io iptables` (Debian, Ubuntu), or see docs.docker.com/engine/install.",
    });
  }
  say("installing docker.io");
  await installPackages(["docker.io", "iptables"], onLine, "the Docker daemon that runs the stack");
}

const isSystemd = (): Promise<boolean> =>
  stat("/run/systemd/system").then(
    (entry) => entry.isDirectory(),
    () => false,
  );

/** Starts the installed daemon. @param answersWithin whether the daemon answers within these milliseconds */
export async function startDaemon(
  answersWithin: (milliseconds: number) => Promise<boolean>,
  work: Pick<Work, "onLine" | "signal">,
): Promise<void> {
  // The installed package may be starting the daemon.
  if (await answersWithin(2_000)) return;
  if (process.getuid?.() !== 0) {
    throw new Failure("The Docker daemon is installed but not running", {
      remedy: "start it as root: `systemctl start docker` (or `dockerd`).",
    });
  }
  if (await isSystemd()) {
    await run("systemctl", ["start", "docker"], { ...work, remedy: "see `journalctl --unit docker`." });
    if (!(await answersWithin(startMilliseconds)))
      throw new Failure("The Docker daemon did not start", { remedy: "see `journalctl --unit docker`." });
    return;
  }
  await removeStaleProcessIdFiles();
  await startDetached(answersWithin, work.signal);
}

const processIdFiles = [
  { file: "/var/run/docker.pid", program: "dockerd" },
  { file: "/var/run/docker/containerd/containerd.pid", program: "containerd" },
];

/** A killed daemon leaves its process id files. Once another program has such an id, the daemon refuses to start. */
async function removeStaleProcessIdFiles(): Promise<void> {
  for (const { file, program } of processIdFiles) {
    const id = (await readFile(file, "utf8").catch(() => "")).trim();
    if (id === "") continue;
    const running = await readlink(`/proc/${id}/exe`).catch(() => "");
    if (!running.startsWith(join(dirname(running), program))) await rm(file, { force: true });
  }
}

/** Starts a `dockerd` that outlives this process; its log is .routeql/dockerd.log. */
async function startDetached(
  answersWithin: (milliseconds: number) => Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  const program = await findProgram("dockerd");
  if (!program) throw new Failure("dockerd is not on PATH", { remedy: "install the Docker daemon." });
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
    remedy: `its log is ${logFile}. If this machine lacks root, cgroups or iptables, use another daemon (DOCKER_HOST).`,
  });
}
