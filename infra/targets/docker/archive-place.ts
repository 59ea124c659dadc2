/** Where a stack's archive is, and whether an update moves it. */
import { isAbsolute, resolve } from "node:path";
import { orUndefined } from "@routeql/host/docker/client";
import { execute } from "@routeql/host/docker/execute";
import { lastWords } from "@routeql/host/program-streams";
import { archiveDirectory, secretPath } from "../../description/service.ts";
import { storageAddress } from "../../services/storage-region.ts";
import type { PlainSettings } from "../../settings/list.ts";
import type { DockerClient } from "./provider-daemon.ts";

type Container = ReturnType<DockerClient["getContainer"]>;
type Inspected = Pick<Awaited<ReturnType<Container["inspect"]>>, "Config" | "Mounts">;

/** Where the archive is outside of the stack's volumes; undefined when it is deleted with them. */
export function archivePlace({ Config, Mounts }: Inspected): string | undefined {
  const environment = environmentOf(Config);
  const bucket = environment.get("PGBACKREST_REPO1_S3_BUCKET");
  if (environment.get("PGBACKREST_REPO1_TYPE") === "s3")
    return `s3://${bucket}${environment.get("PGBACKREST_REPO1_PATH") ?? ""}`;
  const mount = Mounts.find(({ Destination }) => Destination === archiveDirectory);
  return mount?.Type === "bind" ? mount.Source : undefined;
}

function environmentOf({ Env }: Inspected["Config"]): ReadonlyMap<string, string> {
  return new Map(
    Env.map((entry) => {
      const [name = "", ...value] = entry.split("=");
      return [name, value.join("=")];
    }),
  );
}

type ArchiveSettings = Pick<
  PlainSettings,
  "archiveDirectory" | "backupDestination" | "backupEndpoint" | "backupRegion"
>;

/** Whether the settings put the archive into another place than that of its container. */
export function hasOtherPlace(
  container: Inspected,
  { archiveDirectory: directory, backupDestination, backupEndpoint, backupRegion }: ArchiveSettings,
): boolean {
  const before = archivePlace(container);
  if (backupDestination === undefined)
    return directory === undefined
      ? before !== undefined
      : before === undefined || !isAbsolute(before) || resolve(before) !== resolve(directory);
  const [, host = "", path = "/"] = /^s3:\/\/([^/]+)(\/.*)?$/.exec(backupDestination) ?? [];
  const { endpoint } = storageAddress(backupEndpoint, backupRegion, host);
  return (
    before !== `s3://${host}${path}` || environmentOf(container.Config).get("PGBACKREST_REPO1_S3_ENDPOINT") !== endpoint
  );
}

/** The key in a running container; undefined if it cannot be read. */
async function keyIn(container: Container): Promise<string | undefined> {
  const { stream: output, lines } = lastWords();
  const { stream: errors } = lastWords();
  const code = await execute(container, ["cat", secretPath("archive-key")], { output, errors }).catch(() => undefined);
  return code === 0 ? lines().join("\n") : undefined;
}

/**
 * Whether the next archive cannot read the backups of a stack's archive, because its place or its key is another one. False without a container.
 * @param key the given one; undefined for the generated one, which does not change
 */
export async function movesArchive(
  stack: string,
  settings: ArchiveSettings,
  key: string | undefined,
  docker: DockerClient,
): Promise<boolean> {
  const container = docker.getContainer(`routeql-${stack}-archive`);
  const found = await orUndefined(container.inspect());
  if (found === undefined) return false;
  return hasOtherPlace(found, settings) || (key !== undefined && (await keyIn(container)) !== key.trim());
}
