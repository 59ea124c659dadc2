import { spawn } from "node:child_process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
/** What a package manager gets to end in order. */
const graceMilliseconds = 5_000;
const progressMilliseconds = 10_000;

const kill = (child, signal) => {
  try {
    process.kill(-child.pid, signal);
  } catch {
    // it has ended meanwhile
  }
};

/**
 * Runs a program to its end and gives its output when it fails. It and what it starts are one process group, which every signal to this process
 * ends.
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: (seconds: number) => void }} options `show` is told now and then that it still works
 */
export function runQuietly(program, args, { show, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const started = Date.now();
    let interrupted;
    const end = (signal) => {
      kill(child, interrupted === undefined ? "SIGTERM" : "SIGKILL");
      interrupted = signal;
      setTimeout(() => kill(child, "SIGKILL"), graceMilliseconds).unref();
    };
    // Before the start: a signal that comes between would end this process and leave the program running.
    for (const signal of signals) process.on(signal, end);
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const lines = [];
    const keep = (chunk) => {
      lines.push(...String(chunk).split("\n").filter(Boolean));
      lines.splice(0, lines.length - 40);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    const progress = show && setInterval(() => show(Math.round((Date.now() - started) / 1000)), progressMilliseconds);
    const settle = (work) => {
      clearInterval(progress);
      for (const signal of signals) process.off(signal, end);
      work();
    };
    child.on("error", (error) => settle(() => reject(error)));
    child.on("close", (code, signal) =>
      settle(() => {
        if (interrupted !== undefined) reject(new Interrupted(interrupted));
        else if (code === 0) resolve();
        else reject(new Error(`${[program, ...args].join(" ")} ended with ${signal ?? code}:\n${lines.join("\n")}`));
      }),
    );
  });
}

/** The run was ended by a signal. */
export class Interrupted extends Error {
  constructor(signal) {
    super("Interrupted. Run the command again: it resumes.");
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/** Replaces this process as well as Node can: same terminal, signals passed on, same exit code. */
export function runThrough(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit" });
    // At a terminal the child has had the Ctrl-C too; it takes two signals in quick succession for one.
    const forward = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, forward);
    child.on("error", reject);
    child.on("exit", (code, signal) => {
      for (const name of signals) process.off(name, forward);
      if (signal) process.kill(process.pid, signal);
      process.exitCode = code ?? 1;
      resolve();
    });
  });
}
