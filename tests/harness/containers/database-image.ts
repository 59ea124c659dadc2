import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { image } from "./image.ts";
import { mustRun, run } from "../process.ts";

/** Label by which outdated images are found. */
const label = "com.routeql.test-database";
const repository = resolve(import.meta.dirname, "../../..");

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
  const name = `routeql/test-database:${database.split(":")[1]}-${digest(dockerfile)}`;
  if (await exists(name)) return name;
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

/**
 * The prepared image after the migrate job, made from a stopped container.
 * @param migratedContainer starts a container of the image, applies every migration, stops it and returns its id
 */
export async function migratedImage(migratedContainer: (image: string) => Promise<string>): Promise<string> {
  const prepared = await preparedDatabaseImage();
  const job = globSync("database/{migrate,migrations,shared}/*", { cwd: repository }).toSorted();
  const name = `${prepared}-${digest(...job.map((file) => readFileSync(join(repository, file), "utf8")))}`;
  if (await exists(name)) return name;
  const container = await migratedContainer(prepared);
  await mustRun("docker", ["commit", container, name]);
  await mustRun("docker", ["rm", "--volumes", container]);
  return name;
}

const digest = (...texts: readonly string[]): string =>
  createHash("sha256").update(texts.join("\0")).digest("hex").slice(0, 8);

const exists = async (name: string): Promise<boolean> => (await run("docker", ["image", "inspect", name])).code === 0;
