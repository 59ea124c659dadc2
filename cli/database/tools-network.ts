import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";

/** The container of a database that the stack runs itself; undefined for an external database. */
export async function databaseContainer(
  stack: string,
  host: string,
): Promise<{ readonly id: string; readonly networks: readonly string[] } | undefined> {
  const info = await orUndefined(dockerClient().getContainer(`routeql-${stack}-database`).inspect());
  if (info?.State.Running) return { id: info.Id, networks: Object.keys(info.NetworkSettings.Networks) };
  if (info === undefined && host !== "database") return undefined;
  throw new Failure(`The database of the stack ${stack} is not running`, {
    remedy: `run \`npm run up${stack === "local" ? "" : ` -- --stack ${stack}`}\`: it repairs the stack.`,
  });
}

/**
 * The network for tools: the network that the migrate job shares with the database, or the one through which that job reaches an external
 * database.
 */
export async function toolsNetwork(stack: string, host: string): Promise<string> {
  const wanted = `routeql-${stack}-migrate-database`;
  const networks = (await databaseContainer(stack, host))?.networks ?? [wanted];
  return networks.includes(wanted) ? wanted : networks[0]!;
}
