import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { createWriteStream, readdirSync, readFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { dockerClient } from "@routeql/host/docker/client";

const logFolder = resolve(import.meta.dirname, "../results/logs");

/** Node's cache of compiled code across starts, like in the kit's images. */
export const compileCache = resolve(import.meta.dirname, "../results/compile-cache");

export interface ServerOptions {
  readonly name: string;
  readonly args: readonly string[];
  readonly cwd?: string;
  /** The only core that it may use; default all. */
  readonly core?: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Requested until it answers with less than 500; then the server is ready. */
  readonly readyUrl: string;
}

/** A contender: a separate node process. Its output is stored in bench/results/logs. */
export class ServerProcess implements AsyncDisposable {
  readonly name: string;
  /** Time from the start of the process to its first correct answer. */
  readonly readyMilliseconds: number;
  readonly #child: ChildProcess;

  private constructor(name: string, child: ChildProcess, readyMilliseconds: number) {
    this.name = name;
    this.#child = child;
    this.readyMilliseconds = readyMilliseconds;
  }

  /** @throws if the process exits before it is ready, or is not ready within a minute */
  static async start({ name, args, cwd, core, environment, readyUrl }: ServerOptions): Promise<ServerProcess> {
    await mkdir(logFolder, { recursive: true });
    const log = createWriteStream(join(logFolder, `${name}.log`));
    const began = performance.now();
    // The program replaces taskset, so the process is the server itself.
    const [program, ...before] =
      core === undefined ? [process.execPath] : ["taskset", "--cpu-list", String(core), process.execPath];
    const child = spawn(program, [...before, ...args], {
      cwd,
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", "pipe", "pipe"],
    });
    child.stdout.pipe(log, { end: false });
    child.stderr.pipe(log, { end: false });
    try {
      await untilReady(child, readyUrl);
    } catch (error) {
      child.kill("SIGKILL");
      throw new Error(`${name} did not start: see bench/results/logs/${name}.log`, { cause: error });
    }
    return new ServerProcess(name, child, performance.now() - began);
  }

  get pid(): number {
    return this.#child.pid as number;
  }

  cpuSeconds(): number {
    return cpuSeconds(this.pid);
  }

  residentMegabytes(): number {
    return residentMegabytes(this.pid);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const exited = once(this.#child, "exit");
    this.#child.kill("SIGTERM");
    const forced = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await exited;
    clearTimeout(forced);
  }
}

async function untilReady(child: ChildProcess, url: string): Promise<void> {
  const deadline = performance.now() + 60_000;
  for (;;) {
    if (child.exitCode !== null) throw new Error(`it ended with ${child.exitCode}`);
    const ready = await fetch(url, { signal: AbortSignal.timeout(2_000) }).then(
      async (response) => {
        await response.arrayBuffer();
        return response.status < 500;
      },
      () => false,
    );
    if (ready) return;
    if (performance.now() > deadline) throw new Error("it is not ready after a minute");
    await new Promise((wake) => setTimeout(wake, 5));
  }
}

/** What is measured of a process. */
export type Measured = Pick<ServerProcess, "cpuSeconds" | "residentMegabytes"> & AsyncDisposable;

/** Processor seconds of all threads of a process, in user and kernel mode. The times of /proc/<pid>/stat have steps of 10 ms, these of nanoseconds. */
function cpuSeconds(pid: number): number {
  const threads = readdirSync(`/proc/${pid}/task`);
  const nanoseconds = threads.map((thread) =>
    Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "latin1").split(" ")[0]),
  );
  return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
}

/** Resident memory of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

/**
 * The contender's core; the load generator and the containers have the others. So work of other processes affects all contenders equally,
 * and requests per second show the capacity of one core.
 */
export const contenderCore = 0;

/** The `taskset` command that starts a program on the contender's core; the program replaces taskset. */
export const onContenderCore = ["taskset", "--cpu-list", String(contenderCore)] as const;

/** Moves this process, and its later child processes, to the other cores. Throws on a machine with one core. */
export function leaveContenderCore(): Disposable {
  const others = otherCores();
  const before = /: (\S+)$/m.exec(taskset("--cpu-list", "--pid", String(process.pid)))?.[1] ?? `0-${cpus().length - 1}`;
  moveThisProcess(others);
  return { [Symbol.dispose]: () => moveThisProcess(before) };
}

/** Moves a running container to the other cores. */
export async function confine(container: { getId(): string }): Promise<void> {
  await dockerClient().getContainer(container.getId()).update({ CpusetCpus: otherCores() });
}

function otherCores(): string {
  const last = cpus().length - 1;
  if (last < 1) throw new Error("figures by core need a machine with two cores");
  return `1-${last}`;
}

function moveThisProcess(cores: string): void {
  taskset("--all-tasks", "--cpu-list", "--pid", cores, String(process.pid));
}

function taskset(...words: string[]): string {
  return execFileSync("taskset", words, { encoding: "utf8" });
}
