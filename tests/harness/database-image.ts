import { createHash } from "node:crypto";
import { image } from "./image.ts";
import { mustRun, run } from "./process.ts";

/** By it outdated ones are found. */
const label = "com.routeql.test-database";

/**
 * The kit's own entrypoint makes the cluster, once for all containers: they start from it as from a volume that is there already, and give
 * it the superuser's password of theirs. Not below the image's own volume, which a build leaves as it was.
 */
const dockerfile = `ARG DATABASE
FROM \${DATABASE}
LABEL ${label}=
ENV PGDATA=/var/lib/postgresql/prepared
RUN head -c 32 /dev/urandom | base64 >/tmp/password \\
 && POSTGRES_DB=routeql POSTGRES_PASSWORD_FILE=/tmp/password entrypoint -C data_directory \\
 && rm /tmp/password
`;

let made: Promise<string> | undefined;

/**
 * The kit's database image with the cluster of a first start in it, empty: a container of it is ready in a fifth of the processor time. For
 * tests that are not about the first start.
 */
export const preparedDatabaseImage = (): Promise<string> => (made ??= make());

async function make(): Promise<string> {
  const database = await image("database");
  const name = `routeql/test-database:${database.split(":")[1]}-${createHash("sha256").update(dockerfile).digest("hex").slice(0, 8)}`;
  if ((await run("docker", ["image", "inspect", name])).code === 0) return name;
  await mustRun("docker", ["build", "--network", "none", "--tag", name, "--build-arg", `DATABASE=${database}`, "-"], { input: dockerfile });
  await mustRun("docker", ["image", "prune", "--all", "--force", "--filter", `label=${label}`, "--filter", "until=24h"]);
  return name;
}
