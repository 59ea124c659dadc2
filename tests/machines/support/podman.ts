import { setTimeout as delay } from "node:timers/promises";
import { pins } from "@routeql/pins/pins";
import { mustRun, run } from "../../harness/process.ts";
import { runId, runLabel } from "../../harness/run.ts";

const port = "8888/tcp";

/** Podman of Debian 13 (version 5), whose service answers without running any container. */
const dockerfile = `FROM ${pins.debian.image}
RUN apt-get update && apt-get install --yes --no-install-recommends podman && rm -rf /var/lib/apt/lists/*
CMD ["podman", "--storage-driver", "vfs", "system", "service", "--time", "0", "tcp:0.0.0.0:8888"]
`;

export interface Podman extends AsyncDisposable {
  /** Undefined when this machine cannot provide it, with the reason. */
  readonly endpoint?: string;
  readonly reason?: string;
}

const absent = (reason: string): Podman => ({ reason, [Symbol.asyncDispose]: async () => undefined });

/** Podman's service in a container, at an address of this machine. */
export async function startPodman(): Promise<Podman> {
  const built = await run("docker", ["build", "--network", "host", "--tag", "routeql-test/podman:debian-trixie", "-"], {
    input: dockerfile,
  });
  if (built.code !== 0) return absent("the image with Podman cannot be built here");
  const started = await mustRun("docker", [
    "run",
    "--detach",
    "--security-opt",
    "seccomp=unconfined",
    "--label",
    `${runLabel}=${runId}`,
    "--publish",
    `127.0.0.1::${port.split("/")[0]}`,
    "routeql-test/podman:debian-trixie",
  ]);
  const container = started.trim();
  const stop = async (): Promise<void> => void (await run("docker", ["rm", "--force", "--volumes", container]));
  const address = (await mustRun("docker", ["port", container, port])).trim().split("\n")[0]!;
  for (let attempt = 0; attempt < 100; attempt++, await delay(200)) {
    const answer = await fetch(`http://${address}/version`).catch(() => undefined);
    if (answer?.ok) return { endpoint: `tcp://${address}`, [Symbol.asyncDispose]: stop };
  }
  const { stderr } = await run("docker", ["logs", container]);
  await stop();
  return absent(`Podman's service does not answer: ${stderr.trim().split("\n").at(-1) ?? ""}`);
}
