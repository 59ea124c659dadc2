import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";

/** A container in which the stack runs its own database; undefined where the database is outside. */
export async function databaseContainer(stack: string, host: string): Promise<{ readonly id: string; readonly networks: readonly string[] } | undefined> {
  const info = await orUndefined(dockerClient().getContainer(`routeql-${stack}-database`).inspect());
  if (info?.State.Running) return { id: info.Id, networks: Object.keys(info.NetworkSettings.Networks) };
  if (info === undefined && host !== "database") return undefined;
  throw new Failure(`The database of the stack ${stack} does not run`, {
    remedy: `run \`npm run up${stack === "local" ? "" : ` -- --stack ${stack}`}\`: it repairs the stack.`,
  });
}

/** The network on which the migrate job and the database meet, or on which that job has its way out to it: where tools belong. */
export async function toolsNetwork(stack: string, host: string): Promise<string> {
  const wanted = `routeql-${stack}-migrate-database`;
  const networks = (await databaseContainer(stack, host))?.networks ?? [wanted];
  return networks.includes(wanted) ? wanted : networks[0]!;
}
