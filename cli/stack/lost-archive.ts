import type Docker from "dockerode";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import { archiveDirectory } from "@routeql/infra/description/service";
import { storageAddress } from "@routeql/infra/services/storage-region";
import { isAbsolute, resolve } from "node:path";
import type { PlainSettings } from "@routeql/infra/settings/list";
import { stackOption } from "../foundation/command.ts";
import { readConfiguration } from "../configuration/configuration.ts";

/** Where the archive is outside of the stack's volumes; undefined when it is deleted with them. */
export function archivePlace({
  Config,
  Mounts,
}: Pick<Docker.ContainerInspectInfo, "Config" | "Mounts">): string | undefined {
  const environment = environmentOf(Config);
  const bucket = environment.get("PGBACKREST_REPO1_S3_BUCKET");
  if (environment.get("PGBACKREST_REPO1_TYPE") === "s3")
    return `s3://${bucket}${environment.get("PGBACKREST_REPO1_PATH") ?? ""}`;
  const mount = Mounts.find(({ Destination }) => Destination === archiveDirectory);
  return mount?.Type === "bind" ? mount.Source : undefined;
}

const environmentOf = ({ Env }: Docker.ContainerInspectInfo["Config"]): ReadonlyMap<string, string> =>
  new Map(Env.map((entry) => entry.split("=", 2) as [string, string]));

/** Whether the settings put the archive into another place than that of its container: the next one does not have its backups. */
export function archiveMoves(
  container: Pick<Docker.ContainerInspectInfo, "Config" | "Mounts">,
  {
    archiveDirectory: directory,
    backupDestination,
    backupEndpoint,
    backupRegion,
  }: Pick<PlainSettings, "archiveDirectory" | "backupDestination" | "backupEndpoint" | "backupRegion">,
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

/** The same of a stack's container; false without one. */
export async function movesArchive(stack: string, settings: PlainSettings): Promise<boolean> {
  const container = await orUndefined(dockerClient().getContainer(`routeql-${stack}-archive`).inspect());
  return container !== undefined && archiveMoves(container, settings);
}

/** Removing the containers of a lost state deletes the last copy of the archive's key. @throws Failure unless the settings have it */
export async function refuseLostArchive(stack: string): Promise<void> {
  const name = `routeql-${stack}-archive`;
  const archive = await orUndefined(dockerClient().getContainer(name).inspect());
  const place = archive && archivePlace(archive);
  if (place === undefined) return;
  const given = await readConfiguration(stack).then(
    ({ given: { archiveKey } }) => archiveKey !== undefined,
    () => false,
  );
  if (given) return;
  throw new Failure(`The archive in ${place} would become unreadable: its key is only in the container ${name}`, {
    remedy:
      `save the key: echo "ARCHIVE_KEY=$(docker exec ${name} cat /run/routeql/secrets/archive-key)" >>.env.${stack}, then run this command again ` +
      `(docs/operate/troubleshoot.md#the-disk-died). To delete the archive: docker rm --force ${name}, then npm run down --${stackOption(stack)} --volumes --adopt.`,
  });
}
