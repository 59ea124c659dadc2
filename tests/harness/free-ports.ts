import { randomInt } from "node:crypto";
import { mkdir, open, rm, stat } from "node:fs/promises";
import { createServer } from "node:net";
import { join, resolve } from "node:path";

/**
 * Below the system's own range (net.ipv4.ip_local_port_range, from 32768 on), so that no client socket or container takes a port
 * between its choice and its use.
 */
const range = { first: 20_000, last: 29_999 };

/** Folder in which the test processes of this checkout record their chosen ports. */
const claims = resolve(import.meta.dirname, "../../.routeql/test-ports");

/** Time in milliseconds after which a claim is stale; a process uses its port earlier. */
const claimLife = 15 * 60_000;

/** Unused ports of this machine, all different, and reserved for this process. */
export async function freePorts(count: number): Promise<number[]> {
  await mkdir(claims, { recursive: true, mode: 0o700 });
  const ports: number[] = [];
  for (let attempt = 0; ports.length < count; attempt += 1) {
    if (attempt > 1000) throw new Error(`no ${count} free ports found from ${range.first} to ${range.last}`);
    const port = randomInt(range.first, range.last + 1);
    if ((await claim(port)) && (await isFree(port))) ports.push(port);
  }
  return ports;
}

async function claim(port: number): Promise<boolean> {
  const file = join(claims, String(port));
  const { mtimeMs } = await stat(file).catch(() => ({ mtimeMs: undefined }));
  if (mtimeMs !== undefined && Date.now() - mtimeMs > claimLife) await rm(file, { force: true });
  try {
    await (await open(file, "wx")).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

/** On all addresses, because some listeners bind to all of them. */
function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, exclusive: true }, () => server.close(() => resolve(true)));
  });
}
