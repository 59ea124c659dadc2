import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StartedTestContainer } from "testcontainers";
import { image } from "../../harness/containers/image.ts";
import { mustRun } from "../../harness/process.ts";

const context = resolve(import.meta.dirname, "../clock");

/** The project's image with a settable clock. `user`: the service's user id. */
export async function imageWithClock(name: string, user: number): Promise<string> {
  const base = await image(name);
  const tag = base.replace(":", "-with-clock:");
  await mustRun("docker", [
    "build",
    "--network",
    "host",
    "--tag",
    tag,
    "--build-arg",
    `IMAGE=${base}`,
    "--build-arg",
    `SERVICE_USER=${user}:${user}`,
    context,
  ]);
  return tag;
}

/** Maximum seconds until a server shows the new time. */
const bound = 30;

/** Sets a container's clock off by this number of seconds, and waits until its HTTP server sends dates with it. */
export async function setClock(container: StartedTestContainer, url: string, seconds: number): Promise<void> {
  await mustRun("docker", [
    "exec",
    container.getId(),
    "sh",
    "-c",
    `echo '${seconds < 0 ? "" : "+"}${seconds}s' >/clock`,
  ]);
  const end = performance.now() + bound * 1000;
  for (;;) {
    const reply = await fetch(`${url}/healthz`);
    await reply.arrayBuffer();
    const wrongBy = (Date.parse(reply.headers.get("date") ?? "") - Date.now()) / 1000;
    if (Math.abs(wrongBy - seconds) < 60) return;
    if (performance.now() > end)
      throw new Error(`the server's clock is wrong by ${wrongBy} s, not ${seconds} s, after ${bound} s`);
    await sleep(200);
  }
}
