import { spawn } from "node:child_process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Time that a package manager gets to stop cleanly. */
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
 * Runs a program to its end; its output appears only when it fails. The program and its children are one process group, and every signal to
 * this process stops the group.
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, show?: (seconds: number) => void }} options `show` is called regularly while the program
 * runs
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
    // Registered before the start: an earlier signal would end this process and leave the program running.
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
        else {
          const error = new Error(`${[program, ...args].join(" ")} ended with ${signal ?? code}:\n${lines.join("\n")}`);
          reject(Object.assign(error, { killed: signal !== null }));
        }
      }),
    );
  });
}

export class Interrupted extends Error {
  constructor(signal) {
    super("Interrupted. Run the command again: it resumes.");
    this.exitCode = signal === "SIGINT" ? 130 : 143;
  }
}

/** Replaces this process as far as Node can: same terminal, forwarded signals, same exit code. */
export function runThrough(program, args) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { stdio: "inherit" });
    // At a terminal the child receives Ctrl-C as well. It would count a forwarded signal in quick succession as a second one.
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
