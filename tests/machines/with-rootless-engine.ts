/**
 * Runs a command with a rootless Docker engine, as root: `node tests/machines/with-rootless-engine.ts npm test -- gateway`.
 * @module
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { startRootlessEngine } from "./support/rootless-engine.ts";

const [program, ...args] = process.argv.slice(2);
if (program === undefined) throw new Error("name the command to run");
const engine = await startRootlessEngine();
if ("reason" in engine) throw new Error(engine.reason);
await using running = engine;
await running.takeImages();
const child = spawn(program, args, { stdio: "inherit", env: { ...process.env, DOCKER_HOST: running.endpoint } });
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
const [code] = (await once(child, "close")) as [number | null];
process.exitCode = code ?? 1;
