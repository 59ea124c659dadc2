/** Runs a command with a rootless Docker engine, as root: `node tests/machines/with-rootless-engine.ts npm test -- gateway`. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { startRootlessEngine } from "./support/rootless-engine.ts";

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error("name the command to run");
let child: ChildProcess | undefined;
let isInterrupted = false;
// Before the command runs, a signal only prevents its start, so that the engine always ends.
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.on(signal, () => {
    isInterrupted = true;
    child?.kill(signal);
  });
const engine = await startRootlessEngine();
if ("reason" in engine) throw new Error(engine.reason);
await using running = engine;
if (!isInterrupted) await running.takeImages();
process.exitCode = 1;
if (!isInterrupted) {
  child = spawn(program, args, { stdio: "inherit", env: { ...process.env, DOCKER_HOST: running.endpoint } });
  const [code] = (await once(child, "close")) as [number | null];
  process.exitCode = code ?? 1;
}
