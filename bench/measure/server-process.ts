import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { mkdir, open } from "node:fs/promises";
import { cpus } from "node:os";
import { join, resolve } from "node:path";
import { dockerClient } from "@routeql/host/docker/client";

const logFolder = resolve(import.meta.dirname, "../results/logs");

/** Node's cache of compiled code across starts, like in the kit's images. */
export const compileCache = resolve(import.meta.dirname, "../results/compile-cache");

export interface ServerOptions {
  readonly name: string;
  readonly args: readonly string[];
  /** The only core that it may use; default all. */
  readonly core?: number;
  readonly environment: Readonly<Record<string, string>>;
  /** Requested until it answers with less than 500; then the server is ready. */
  readonly readyUrl: string;
}

/** A contender: a separate node process. Its output is stored in bench/results/logs. */
export class ServerProcess implements AsyncDisposable {
  /** Time from the start of the process to its first correct answer. */
  readonly readyMilliseconds: number;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, readyMilliseconds: number) {
    this.#child = child;
    this.readyMilliseconds = readyMilliseconds;
  }

  /** @throws if the process exits before it is ready, or is not ready within a minute */
  static async start({ name, args, core, environment, readyUrl }: ServerOptions): Promise<ServerProcess> {
    await mkdir(logFolder, { recursive: true });
    await using log = await open(join(logFolder, `${name}.log`), "w");
    const began = performance.now();
    const [program, ...before] = [...(core === undefined ? [] : onCore(core)), process.execPath];
    const child = spawn(program, [...before, ...args], {
      env: { PATH: process.env["PATH"], ...environment },
      stdio: ["ignore", log.fd, log.fd],
    });
    try {
      await untilReady(child, readyUrl);
    } catch (error) {
      child.kill("SIGKILL");
      throw new Error(`${name} did not start: see bench/results/logs/${name}.log`, { cause: error });
    }
    return new ServerProcess(child, performance.now() - began);
  }

  /** Processor seconds of all threads, in user and kernel mode. The times of /proc/<pid>/stat have steps of 10 ms, these of nanoseconds. */
  cpuSeconds(): number {
    const folder = `/proc/${this.#child.pid}/task`;
    const nanoseconds = readdirSync(folder).map((thread) =>
      Number(readFileSync(`${folder}/${thread}/schedstat`, "latin1").split(" ")[0]),
    );
    return nanoseconds.reduce((sum, each) => sum + each, 0) / 1e9;
  }

  residentMegabytes(): number {
    return residentMegabytes(this.#child.pid as number);
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

export type Measured = Pick<ServerProcess, "cpuSeconds" | "residentMegabytes" | "readyMilliseconds"> & AsyncDisposable;

/** Resident memory of a process in megabytes (10⁶ bytes). */
export function residentMegabytes(pid: number): number {
  const kibibytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1];
  return (Number(kibibytes) * 1024) / 1e6;
}

/** The contender's core; everything else has the others, so that requests per second show the capacity of one core. */
export const contenderCore = 0;

/** The `taskset` command that starts a program on a core; the program replaces taskset. */
export const onCore = (core: number) => ["taskset", "--cpu-list", String(core)] as const;

/** Moves this process, and its later child processes, to the other cores. Throws on a machine with one core. */
export function leaveContenderCore(): Disposable {
  const others = otherCores();
  const before = /: (\S+)$/m.exec(taskset("--cpu-list", "--pid", String(process.pid)))?.[1] ?? `0-${cpus().length - 1}`;
  moveThisProcess(others);
  return { [Symbol.dispose]: () => moveThisProcess(before) };
}

/** Processor seconds that all processes of a container have used, in user and kernel mode. @param container its name or id */
export async function containerCpuSeconds(container: string): Promise<number> {
  const figures = await dockerClient().getContainer(container).stats({ stream: false, "one-shot": true });
  return figures.cpu_stats.cpu_usage.total_usage / 1e9;
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
