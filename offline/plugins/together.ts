/** All stand-ins in one process: started by Pulumi, each would start twice per update. Prints its port; reads Pulumi's id. */
import { isRunning } from "@routeql/host/process";
import { replacedPlugins } from "./replaced.ts";
import { officialVersion } from "./shared/version.ts";
import { serveProvider, startedByPulumi, together } from "./shared/serve.ts";

let pulumi: number | undefined;
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  pulumi = Number(text);
});
// Until Pulumi runs, watch the command that started this process.
const commandRuns = startedByPulumi();

const newest = replacedPlugins
  .map(officialVersion)
  .toSorted((one, other) => one.localeCompare(other, "en", { numeric: true }))
  .at(-1)!;
const load = {
  docker: async () => (await import("./docker/stand-in.ts")).provider,
  random: async () => (await import("./random/stand-in.ts")).provider,
  tls: async () => (await import("./tls/stand-in.ts")).provider,
  kubernetes: async () => (await import("./kubernetes/stand-in.ts")).provider,
};
await serveProvider(together(newest, load), () => (pulumi === undefined ? commandRuns() : isRunning(pulumi)));
