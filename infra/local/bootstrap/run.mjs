import { spawn } from "node:child_process";

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

/** Runs a program to its end and gives its output when it fails; shows nothing while it goes well. */
export function runQuietly(program, args, options) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    const lines = [];
    const keep = (chunk) => {
      lines.push(...String(chunk).split("\n").filter(Boolean));
      lines.splice(0, lines.length - 40);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.on("error", reject);
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new Error(`${[program, ...args].join(" ")} ended with ${signal ?? code}:\n${lines.join("\n")}`));
    });
  });
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
