import { resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { StartedTestContainer } from "testcontainers";
import { image } from "../../harness/image.ts";
import { mustRun } from "../../harness/process.ts";

const context = resolve(import.meta.dirname, "../clock");

/** The kit's image with a clock that can be set. `user`: the service's user id. */
export async function imageWithClock(name: string, user: number): Promise<string> {
  const base = await image(name);
  const tag = base.replace(":", "-with-clock:");
  await mustRun("docker", ["build", "--network", "host", "--tag", tag, "--build-arg", `IMAGE=${base}`, "--build-arg", `SERVICE_USER=${user}:${user}`, context]);
  return tag;
}

/** Sets the clock of a container wrong by so many seconds; it is read again within a second. */
export async function setClock(container: StartedTestContainer, seconds: number): Promise<void> {
  await mustRun("docker", ["exec", container.getId(), "sh", "-c", `echo '${seconds < 0 ? "" : "+"}${seconds}s' >/clock`]);
  await sleep(1500);
}
