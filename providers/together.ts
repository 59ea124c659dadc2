/**
 * All stand-ins in one process, which a command starts before the engine: the engine by itself starts each of them twice for an update,
 * which takes a second of processor time more. Prints its port; standard input says which process is the engine.
 * @module
 */
import { isRunning } from "@routeql/host/process";
import { providerVersion, standIns } from "./choice.ts";
import { startedByEngine } from "./shared/end-with-engine.ts";
import { serveProvider } from "./shared/serve.ts";
import { together } from "./shared/together.ts";

let engine: number | undefined;
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  engine = Number(text);
});
// Until there is an engine, the command that started this one is waited for.
const commandRuns = startedByEngine();

const newest = standIns.map(providerVersion).toSorted((one, other) => one.localeCompare(other, "en", { numeric: true })).at(-1)!;
const load = {
  docker: async () => (await import("./docker/stand-in.ts")).provider,
  random: async () => (await import("./random/stand-in.ts")).provider,
  tls: async () => (await import("./tls/stand-in.ts")).provider,
  kubernetes: async () => (await import("./kubernetes/stand-in.ts")).provider,
};
await serveProvider(together(newest, load), () => (engine === undefined ? commandRuns() : isRunning(engine)));
