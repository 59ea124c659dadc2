import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { GenericContainer, Wait } from "testcontainers";
import { addressOf } from "../harness/containers/container-address.ts";
import { mustRun, run } from "../harness/process.ts";
import { runLabels } from "../harness/run/run.ts";

export interface ConformanceDatabase extends AsyncDisposable {
  /** Address for a role that may create databases and extensions. */
  readonly address: string;
}

/** Postgres with PostGIS in its own container; the image is built when its Dockerfile has changed. */
export async function startConformanceDatabase(): Promise<ConformanceDatabase> {
  const dockerfile = join(import.meta.dirname, "Dockerfile");
  const name = `routeql/conformance-database:${createHash("sha256").update(readFileSync(dockerfile)).digest("hex").slice(0, 12)}`;
  const { code } = await run("docker", ["image", "inspect", name]);
  if (code !== 0)
    await mustRun("docker", ["build", "--network", "host", "--tag", name, "--file", dockerfile, import.meta.dirname]);
  const container = await new GenericContainer(name)
    .withLabels(runLabels)
    .withExposedPorts(5432)
    .withTmpFs({ "/memory": "mode=1777" })
    .withWaitStrategy(Wait.forLogMessage(/ready to accept connections/))
    .start();
  const { host, port } = addressOf(container, 5432);
  return {
    address: `postgres://postgres@${host}:${port}/postgres`,
    [Symbol.asyncDispose]: async () => {
      await container.stop();
    },
  };
}
