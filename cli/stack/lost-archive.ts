import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { Failure } from "@routeql/host/failure";
import type { PlainSettings } from "@routeql/infra/settings/list";
import { archivePlace, movesArchive as movesArchiveOn } from "@routeql/infra/targets/docker/archive-place";
import { stackOption } from "../foundation/command.ts";
import { readConfiguration } from "../configuration/configuration.ts";

/** Whether an update moves a stack's archive. @param key the given one */
export const movesArchive = (stack: string, settings: PlainSettings, key: string | undefined): Promise<boolean> =>
  movesArchiveOn(stack, settings, key, dockerClient());

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
