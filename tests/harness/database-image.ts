import { createHash } from "node:crypto";
import { image } from "./image.ts";
import { mustRun, run } from "./process.ts";

/** Label by which outdated images are found. */
const label = "com.routeql.test-database";

/**
 * The kit's own entrypoint creates the cluster once for all containers. They start from it like from an existing volume, and the
 * entrypoint sets their own superuser password. The cluster is outside the image's volume, because a build discards changes to a
 * volume.
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
 * The kit's database image with an initialised, empty cluster: its containers start with a fifth of the processor time. For tests that
 * are not about the first start.
 */
export const preparedDatabaseImage = (): Promise<string> => (made ??= make());

async function make(): Promise<string> {
  const database = await image("database");
  const name = `routeql/test-database:${database.split(":")[1]}-${createHash("sha256").update(dockerfile).digest("hex").slice(0, 8)}`;
  if ((await run("docker", ["image", "inspect", name])).code === 0) return name;
  await mustRun("docker", ["build", "--network", "none", "--tag", name, "--build-arg", `DATABASE=${database}`, "-"], {
    input: dockerfile,
  });
  await mustRun("docker", [
    "image",
    "prune",
    "--all",
    "--force",
    "--filter",
    `label=${label}`,
    "--filter",
    "until=24h",
  ]);
  return name;
}
