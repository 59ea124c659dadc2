import { type ChildProcess, spawn } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Joined } from "./init.ts";

/** Messages of launcher.ts. */
interface Message {
  readonly address?: string;
  readonly process?: number;
  readonly failed?: string;
  readonly lastWords?: readonly string[];
}

export function launch(folder: string, binaries: string, joined?: Joined): ChildProcess {
  const options = [folder, binaries, ...(joined ? [JSON.stringify(joined)] : [])];
  return spawn(process.execPath, [join(import.meta.dirname, "launcher.ts"), ...options], {
    stdio: ["pipe", "pipe", "inherit"],
    // An interrupt at the terminal reaches it only through this process, as the end of its standard input.
    detached: true,
  });
}

/** Waits until the node's programs run. */
export async function started(launcher: ChildProcess): Promise<{ readonly address: string; readonly process: number }> {
  for await (const line of createInterface(launcher.stdout!)) {
    const { address, process: first = 0, failed, lastWords = [] } = JSON.parse(line) as Message;
    if (address !== undefined) return { address, process: first };
    throw new Error(`${failed}\n${lastWords.join("\n")}\n${await tails(lastWords)}`);
  }
  throw new Error("the node could not be started; see its output above");
}

/** Stops the node and waits until all its remains are removed. */
export async function ended(launcher: ChildProcess): Promise<void> {
  const closed = new Promise((resolve) => launcher.once("close", resolve));
  const hasEnded = launcher.exitCode !== null || launcher.signalCode !== null;
  launcher.stdin?.end();
  if (!hasEnded) await closed;
}

/** The last lines of the log file in a message of init.ts. */
async function tails(lines: readonly string[]): Promise<string> {
  const file = lines.map((line) => /its log is (\S+)/.exec(line)?.[1]).find((path) => path !== undefined);
  const text = file === undefined ? "" : await readFile(file, "utf8").catch(() => "");
  return text.split("\n").slice(-20).join("\n");
}
