import { createHash } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface DockerConfiguration extends AsyncDisposable {
  readonly folder: string;
}

/** A folder for DOCKER_CONFIG whose current context selects a daemon, like `docker context create` and `use`. */
export async function contextTo(endpoint: string): Promise<DockerConfiguration> {
  const folder = await mkdtemp(join(tmpdir(), "routeql-docker-config-"));
  const meta = join(folder, "contexts/meta", createHash("sha256").update("there").digest("hex"));
  await mkdir(meta, { recursive: true });
  await writeFile(
    join(meta, "meta.json"),
    JSON.stringify({ Name: "there", Metadata: {}, Endpoints: { docker: { Host: endpoint, SkipTLSVerify: false } } }),
  );
  await writeFile(join(folder, "config.json"), JSON.stringify({ currentContext: "there" }));
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true }) };
}
