import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { run } from "../../harness/process.ts";

export interface SecondEngine extends AsyncDisposable {
  readonly endpoint: string;
}

/** A Docker engine for the test, with its own data root and without networks. Undefined if none can be started. */
export async function startSecondEngine(): Promise<SecondEngine | undefined> {
  if (process.getuid?.() !== 0 || (await run("sh", ["-c", "command -v dockerd"])).code !== 0) return undefined;
  const folder = await mkdtemp(join(tmpdir(), "rq-engine-"));
  const endpoint = `unix://${folder}/docker.sock`;
  const args = [
    "--host",
    endpoint,
    "--data-root",
    `${folder}/data`,
    "--exec-root",
    `${folder}/exec`,
    "--pidfile",
    `${folder}/pid`,
    "--bridge",
    "none",
    "--iptables=false",
    "--ip-masq=false",
    "--storage-driver",
    "vfs",
  ];
  // In a network of its own: an engine without a bridge deletes the interface docker0, which belongs to the first engine.
  const child = spawn("unshare", ["--net", "dockerd", ...args], { stdio: "ignore" });
  const ended = once(child, "close");
  const stop = async (): Promise<void> => {
    if (child.exitCode === null) child.kill("SIGTERM");
    await ended;
    await rm(folder, { recursive: true, force: true });
  };
  for (let attempt = 0; attempt < 100 && child.exitCode === null; attempt++) {
    if ((await run("docker", ["--host", endpoint, "version"])).code === 0)
      return { endpoint, [Symbol.asyncDispose]: stop };
    await delay(300);
  }
  await stop();
  return undefined;
}
