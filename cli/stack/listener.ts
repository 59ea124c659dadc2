import { existsSync } from "node:fs";
import { readdir, readFile, readlink } from "node:fs/promises";
import { listenerByLsof, processFolder } from "@routeql/host/process-facts";

const listening = "0A";

/** Inode numbers of the sockets that listen on a port, from the text of /proc/net/tcp or tcp6 (proc(5)). */
export function listeningInodes(table: string, port: number): string[] {
  const wanted = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return table
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/))
    .filter(([, local, , state]) => local?.endsWith(wanted) && state === listening)
    .map((columns) => columns[9]!);
}

/** The program that listens on a port, if this user may see it: `nginx (process 123)`. */
export async function listenerOn(port: number): Promise<string | undefined> {
  if (!existsSync(processFolder)) return listenerByLsof(port);
  const tables = await Promise.all(["/proc/net/tcp", "/proc/net/tcp6"].map((path) => readFile(path, "utf8").catch(() => "")));
  const sockets = new Set(tables.flatMap((table) => listeningInodes(table, port)).map((inode) => `socket:[${inode}]`));
  if (sockets.size === 0) return undefined;
  for (const id of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    const files = await readdir(`/proc/${id}/fd`).catch(() => []);
    const targets = await Promise.all(files.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => "")));
    if (targets.some((target) => sockets.has(target)))
      return `${(await readFile(`/proc/${id}/comm`, "utf8")).trim()} (process ${id})`;
  }
  return undefined;
}
