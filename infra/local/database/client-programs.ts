import type { Readable, Writable } from "node:stream";
import type Docker from "dockerode";
import { dockerClient, orUndefined } from "../docker/client.ts";
import { exitCodeOf } from "../docker/execute.ts";
import { Failure } from "../foundation/failure.ts";
import type { DatabaseReach, DatabaseRole, StackValues } from "../stack/outputs.ts";
import { valuesOf } from "../stack/values.ts";
import { FrameReader } from "./frames.ts";
import { databaseContainer, toolsNetwork } from "./tools-network.ts";

/** A container on this machine's Docker engine in which Postgres' own programs (psql, pg_dump) reach a stack's database. */
export interface ClientPrograms extends AsyncDisposable {
  readonly container: Docker.Container;
  readonly values: StackValues;
  /** Environment with which libpq finds the database and logs in. */
  readonly environment: (role: DatabaseRole) => readonly string[];
  /** Ends a program that runs. */
  readonly signal?: AbortSignal;
}

/** What it takes to run a program. */
export type Programs = Pick<ClientPrograms, "container" | "environment" | "signal">;

const authorityFile = "/tmp/ca.pem";

function environmentOf({ host, port, name, sslmode, authority }: DatabaseReach, own: boolean): string[] {
  const tls = authority === undefined ? { PGSSLMODE: sslmode } : { PGSSLMODE: "verify-full", PGSSLROOTCERT: authorityFile };
  const variables = { PGHOST: own ? "127.0.0.1" : host, PGPORT: String(port), PGDATABASE: name, ...tls };
  return Object.entries(variables).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${value}`]));
}

async function startContainer(stack: string, { host, clientImage, authority }: DatabaseReach): Promise<Docker.Container> {
  const container = await dockerClient().createContainer({
    Image: clientImage,
    Entrypoint: ["sleep", "infinity"],
    Cmd: [],
    User: "65534:65534",
    Labels: { "com.routeql.relay": stack },
    HostConfig: {
      NetworkMode: await toolsNetwork(stack, host),
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
    if (authority !== undefined) await writeFileIn(container, authorityFile, authority);
  } catch (error) {
    await orUndefined(container.remove({ force: true }));
    throw error;
  }
  return container;
}

async function writeFileIn(container: Docker.Container, path: string, content: string): Promise<void> {
  const program = ["sh", "-c", 'printf "%s" "$1" >"$2"', "sh", content, path];
  const execution = await container.exec({ Cmd: program, AttachStdout: true, AttachStderr: true });
  (await execution.start({})).resume();
  if ((await exitCodeOf(execution)) !== 0) throw new Error(`${path} could not be written`);
}

/**
 * Opens the way: the database's own container, or one beside the stack where the database is outside.
 * @throws Failure when the stack is not up
 */
export async function openClientPrograms(stack: string, signal?: AbortSignal): Promise<ClientPrograms> {
  const values = await valuesOf(stack);
  const { database: reach } = values;
  const own = await databaseContainer(stack, reach.host);
  const container = own === undefined ? await startContainer(stack, reach) : dockerClient().getContainer(own.id);
  const environment = environmentOf(reach, own !== undefined);
  return {
    container,
    values,
    ...(signal === undefined ? {} : { signal }),
    environment: (role) => [...environment, `PGUSER=routeql_${role}`, `PGPASSWORD=${values.databasePasswords[role]}`],
    async [Symbol.asyncDispose]() {
      if (own === undefined) await orUndefined(container.remove({ force: true }));
    },
  };
}

export interface ProgramStreams {
  readonly input?: Readable;
  /** What comes out; a write that waits makes the program wait. */
  readonly output: Writable;
}

/**
 * Runs one program with the database's login in its environment.
 * @throws Failure with the last lines of its standard error when it ends with anything but 0; the signal's reason when that ends it
 */
export async function runProgram(
  { container, environment, signal }: Programs,
  role: DatabaseRole,
  program: readonly string[],
  { input, output }: ProgramStreams,
  what: string,
): Promise<void> {
  const { promise: ended, resolve, reject } = Promise.withResolvers<void>();
  ended.catch(() => undefined);
  for (const side of [output, input]) side?.once("error", reject);
  const abandon = (): void => reject(signal?.reason as Error);
  signal?.throwIfAborted();
  signal?.addEventListener("abort", abandon, { once: true });
  const execution = await container.exec({
    Cmd: [...program],
    Env: [...environment(role)],
    AttachStdin: input !== undefined,
    AttachStdout: true,
    AttachStderr: true,
  });
  const stream = await execution.start({ hijack: true, stdin: input !== undefined });
  let errors = "";
  const frames = new FrameReader((number, payload) => {
    if (number === 2) {
      errors = (errors + payload.toString("utf8")).slice(-4000);
      return;
    }
    if (output.write(payload)) return;
    stream.pause();
    output.once("drain", () => stream.resume());
  });
  stream.on("data", (chunk: Buffer) => frames.add(chunk));
  stream.once("end", resolve);
  stream.once("error", reject);
  input?.pipe(stream);
  try {
    await ended;
  } finally {
    input?.unpipe(stream).destroy();
    stream.destroy();
    signal?.removeEventListener("abort", abandon);
    for (const side of [output, input]) side?.off("error", reject);
  }
  const code = await exitCodeOf(execution);
  if (code === 0) return;
  const lastLines = errors.trim().split("\n").filter((line) => line !== "").slice(-12);
  throw new Failure(`${what} failed (${program[0]} ended with ${code})`, { lastLines });
}
