/** Runs a command with a rootless Docker daemon, as root: `node tests/machines/with-rootless-daemon.ts npm test -- gateway`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { startRootlessDaemon } from "./support/rootless-daemon.ts";

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error("name the command to run");
let child: ChildProcess | undefined;
let isInterrupted = false;
// Before the command runs, a signal only prevents its start, so that the daemon always ends.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isInterrupted = true;
    child?.kill(signal);
  });
const daemon = await startRootlessDaemon();
if ("reason" in daemon) throw new Error(daemon.reason);
await using running = daemon;
if (!isInterrupted) await running.takeImages();
process.exitCode = 1;
if (!isInterrupted) {
  child = spawn(program, args, { stdio: "inherit", env: { ...process.env, DOCKER_HOST: running.endpoint } });
  const [code] = (await once(child, "close")) as [number | null];
  process.exitCode = code ?? 1;
}
