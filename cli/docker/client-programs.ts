import { Readable } from "node:stream";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { Failure } from "@routeql/host/failure";
import { stackArgument } from "../foundation/command.ts";
import { type Execute, lastWords } from "@routeql/host/program-streams";
import type Docker from "dockerode";
import { type DatabaseReach, valuesOf } from "../pulumi/outputs.ts";
import { requireOwn } from "../ownership/ownership.ts";
import { dockerClaims } from "./claims.ts";
import { libpqEnvironment, libpqUser, withinDatabase } from "../place/connection-settings.ts";
import type { ClientPrograms } from "../place/programs.ts";

const authorityFile = "/tmp/ca.pem";

/** Runs programs in a container, with additional environment variables. */
export const programsIn =
  (container: Docker.Container, environment: readonly string[]): Execute =>
  (program, streams) =>
    execute(container, program, streams, environment);

async function startContainer(
  stack: string,
  { host, clientImage, authority }: DatabaseReach,
  labels: Readonly<Record<string, string>>,
): Promise<Docker.Container> {
  const container = await dockerClient().createContainer({
    Image: clientImage,
    Entrypoint: ["sleep", "infinity"],
    Cmd: [],
    User: "65534:65534",
    Labels: { ...labels, "com.routeql.relay": stack },
    HostConfig: {
      NetworkMode: await toolsNetwork(stack, host),
      ExtraHosts: await ownNames(stack),
      AutoRemove: true,
      Init: true,
      ReadonlyRootfs: true,
      Tmpfs: { "/tmp": "rw,noexec,nosuid,size=16m,mode=1777" },
      CapDrop: ["ALL"],
      SecurityOpt: ["no-new-privileges"],
      Memory: 512 * 1024 * 1024,
      PidsLimit: 64,
      LogConfig: { Type: "none", Config: {} },
    },
  });
  try {
    await container.start();
    if (authority !== undefined) await writeAuthority(container, authority);
  } catch (error) {
    await orUndefined(container.remove({ force: true }));
    throw error;
  }
  return container;
}

/** The host names that the migrate job knows beside those of name servers (`extraHosts`). */
async function ownNames(stack: string): Promise<string[]> {
  const job = await orUndefined(dockerClient().getContainer(`routeql-${stack}-migrate`).inspect());
  return job?.HostConfig.ExtraHosts ?? [];
}

async function writeAuthority(container: Docker.Container, authority: string): Promise<void> {
  const { stream, lines } = lastWords();
  const input = Readable.from([Buffer.from(authority)]);
  const code = await execute(container, ["sh", "-c", `cat >${authorityFile}`], {
    input,
    output: stream,
    errors: stream,
  });
  if (code !== 0) throw new Error(`${authorityFile} could not be written: ${lines().join("; ")}`);
}

/** The database's own container, or one beside the stack for an external database. @throws Failure when the stack is not running */
export async function openProgramsOnDocker(stack: string): Promise<ClientPrograms> {
  const labels = await requireOwn(stack, dockerClaims(stack));
  const values = await valuesOf(stack);
  const { database, databasePasswords } = values;
  const own = await databaseContainer(stack, database.host);
  const reach = own === undefined ? database : withinDatabase(database);
  const container =
    own === undefined ? await startContainer(stack, reach, labels) : dockerClient().getContainer(own.id);
  const authority = reach.authority === undefined ? undefined : authorityFile;
  const environment = libpqEnvironment(reach, authority);
  return {
    reach,
    values,
    as: (role) =>
      programsIn(container, [...environment, libpqUser(role, reach), `PGPASSWORD=${databasePasswords[role]}`]),
    async [Symbol.asyncDispose]() {
      if (own === undefined) await orUndefined(container.remove({ force: true }));
    },
  };
}

/** The container of a database that the stack runs itself; undefined for an external database. */
async function databaseContainer(
  stack: string,
  host: string,
): Promise<{ readonly id: string; readonly networks: readonly string[] } | undefined> {
  const info = await orUndefined(dockerClient().getContainer(`routeql-${stack}-database`).inspect());
  if (info?.State.Running) return { id: info.Id, networks: Object.keys(info.NetworkSettings.Networks) };
  if (info === undefined && host !== "database") return undefined;
  throw new Failure(`The database of the stack ${stack} is not running`, {
    remedy: `run \`npm run up${stackArgument(stack)}\`: it repairs the stack.`,
  });
}

/** The network for tools: the one on which the migrate job reaches the database. */
async function toolsNetwork(stack: string, host: string): Promise<string> {
  const wanted = `routeql-${stack}-migrate-database`;
  const networks = (await databaseContainer(stack, host))?.networks ?? [wanted];
  return networks.includes(wanted) ? wanted : networks[0]!;
}
