/** Information about other processes: from /proc if it exists, else from `ps` and `lsof`, as on macOS. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** The kernel's process folder; tests use a folder that does not exist. */
export const processFolder = "/proc";

/** Output of a program; undefined when it fails or is missing. */
const printed = async (program: string, args: readonly string[]): Promise<string | undefined> =>
  execute(program, [...args], { env: { ...process.env, LC_ALL: "C" } }).then(
    ({ stdout }) => stdout.trim() || undefined,
    () => undefined,
  );

/** Start time of a process, as a comparable text; undefined when the process does not exist. */
export async function startTimeOf(pid: number, folder = processFolder): Promise<string | undefined> {
  if (!existsSync(folder)) return printed("ps", ["-o", "lstart=", "-p", String(pid)]);
  // Field 22 of /proc/<pid>/stat (proc(5)): clock ticks since boot.
  const stat = await readFile(`${folder}/${pid}/stat`, "utf8").catch(() => undefined);
  return stat?.slice(stat.lastIndexOf(")") + 2).split(" ")[19];
}

/** The command line of a process; empty when the process does not exist. */
export async function commandLineOf(pid: number, folder = processFolder): Promise<string> {
  if (!existsSync(folder)) return (await printed("ps", ["-o", "command=", "-p", String(pid)])) ?? "";
  return (await readFile(`${folder}/${pid}/cmdline`, "utf8").catch(() => "")).replaceAll("\0", " ").trim();
}

export async function listenerByLsof(port: number): Promise<string | undefined> {
  const text = await printed("lsof", ["-nP", `-iTCP:${port}`, "-sTCP:LISTEN", "-Fpc"]);
  const [, id] = /^p(\d+)$/m.exec(text ?? "") ?? [];
  const [, name] = /^c(.+)$/m.exec(text ?? "") ?? [];
  return id === undefined ? undefined : `${name ?? "a program"} (process ${id})`;
}
