import type Docker from "dockerode";
import type { Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { lastLogLines } from "@routeql/host/docker/output";
import { Failure } from "@routeql/host/failure";
import { lastWords } from "@routeql/host/program-streams";
import { stackArgument, stackOption } from "../foundation/command.ts";
import { type Archive, type ArchiveCommand, noArchive } from "../place/archive.ts";
import { isOfAnother } from "../status/archive-facts.ts";

const program = "pgbackrest-archive";

const containerOf = (stack: string, service: "archive" | "database"): Docker.Container =>
  dockerClient().getContainer(`routeql-${stack}-${service}`);

/** The archive of an own stack, by images/database/pgbackrest-archive.sh. @throws Failure when the stack has none */
export async function openArchive(stack: string): Promise<Archive> {
  const archive = containerOf(stack, "archive");
  if ((await orUndefined(archive.inspect())) === undefined) throw noArchive(stack);
  return {
    run: (command, signal, output = process.stdout) => inArchive(archive, command, signal, output),
    restoreTo: (point, replace, signal, remember) => restoreTo(stack, archive, { point, replace, signal }, remember),
  };
}

async function inArchive(
  archive: Docker.Container,
  command: ArchiveCommand,
  signal: AbortSignal,
  output: Writable,
): Promise<void> {
  const said = lastWords();
  const streams = { output, errors: said.stream, signal };
  const code = await execute(archive, [program, command], streams);
  if (code !== 0)
    throw new Failure(`The ${command} failed`, {
      lastLines: said.lines(),
      remedy: `docs/operate/runbooks.md#${command === "drill" ? "drillold" : "archivefails"} lists the causes.`,
    });
}

/** Sends all changes to the archive, if the database still runs, so that a restore reaches every earlier moment. */
async function flush(stack: string, signal: AbortSignal): Promise<void> {
  const database = containerOf(stack, "database");
  if ((await orUndefined(database.inspect()))?.State.Running !== true) return;
  const said = lastWords();
  const code = await execute(database, [program, "flush"], { output: said.stream, errors: said.stream, signal });
  if (code !== 0) console.error(flushNotice(said.lines()));
}

/** The archive's own advice for another database is the restore that already runs. */
export const flushNotice = (lines: readonly string[]): string =>
  lines.some(isOfAnother)
    ? "The current database is new and has no change in the archive. The restore replaces it."
    : ["The newest changes may be missing in the archive:", ...lines].join("\n  ");

/** Runs a command of the archive in a container like the database's: same mounts, variables and limits. @throws Failure */
async function besideDatabase(
  stack: string,
  command: "prepare" | "replace",
  point: string,
  ...more: readonly string[]
): Promise<void> {
  const { Id, Config, HostConfig, NetworkSettings } = await containerOf(stack, "database").inspect();
  const storage = `routeql-${stack}-storage`;
  const { Tmpfs, Memory, MemorySwap, CpuPeriod, CpuQuota, SecurityOpt, CapDrop, ReadonlyRootfs } = HostConfig;
  const limits = { Tmpfs, Memory, MemorySwap, CpuPeriod, CpuQuota, SecurityOpt, CapDrop, ReadonlyRootfs };
  const container = await dockerClient().createContainer({
    Image: Config.Image,
    Cmd: [program, command, point, ...more],
    User: Config.User,
    Env: Config.Env,
    Labels: { "com.routeql.relay": stack },
    HostConfig: { VolumesFrom: [Id], NetworkMode: storage in NetworkSettings.Networks ? storage : "none", ...limits },
  });
  try {
    await container.start();
    const { StatusCode: code } = (await container.wait()) as { StatusCode: number };
    if (code === 0) return;
    const unchanged = command === "prepare" ? ". The database is unchanged" : "";
    throw new Failure(`The restore to ${point} failed${unchanged}`, {
      lastLines: await lastLogLines(container, 20),
      remedy: `follow the last line above, or run it again with a valid time. npm run status${stackArgument(stack)} shows whether the database runs.`,
    });
  } finally {
    await orUndefined(container.remove({ force: true }));
  }
}

/** Starts or stops a container; the daemon rejects what is already so. */
async function switchTo(running: boolean, container: Docker.Container): Promise<void> {
  if ((await container.inspect()).State.Running !== running) await (running ? container.start() : container.stop());
}

async function untilHealthy(container: Docker.Container, signal: AbortSignal): Promise<void> {
  while ((await container.inspect()).State.Health?.Status !== "healthy") await sleep(500, undefined, { signal });
}

interface Moment {
  readonly point: string;
  readonly replace: boolean;
  readonly signal: AbortSignal;
}

async function restoreTo<State>(
  stack: string,
  archive: Docker.Container,
  { point, replace, signal }: Moment,
  remember: () => Promise<State>,
): Promise<State> {
  const database = containerOf(stack, "database");
  const stop = async (): Promise<State> => {
    const state = await remember();
    await switchTo(false, database);
    return state;
  };
  await flush(stack, signal);
  await switchTo(false, archive);
  let state: State;
  try {
    const words = point === "latest" && replace ? ["replace"] : [];
    if (point === "latest") {
      state = await stop();
      await besideDatabase(stack, "prepare", point, ...words);
    } else {
      await besideDatabase(stack, "prepare", point);
      state = await stop();
    }
    await besideDatabase(stack, "replace", point, ...words);
  } finally {
    await switchTo(true, database);
    await switchTo(true, archive);
  }
  const timeout = AbortSignal.timeout(120_000);
  try {
    await untilHealthy(database, AbortSignal.any([signal, timeout]));
  } catch (error) {
    if (!timeout.aborted) throw error;
    throw new Failure("The database was replaced, but is not healthy after two minutes", {
      remedy: `\`npm run logs --${stackOption(stack)} database\` names the cause; it may still replay changes.`,
      cause: error,
    });
  }
  return state;
}
