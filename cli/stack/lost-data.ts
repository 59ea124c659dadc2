import { withClient } from "@routeql/database-access/opened-database";
import { dockerClient, orUndefined } from "@routeql/host/docker/client";
import { databaseVolume, dataVolumeLabel } from "@routeql/infra/targets/docker/data-volume";
import { openDatabase } from "../database/open-database.ts";
import { stackOption } from "../foundation/command.ts";

/** A warning while the database's volume replaces a lost one and has no account. */
export async function lostDataWarnings(stack: string): Promise<readonly string[]> {
  const volume = await orUndefined(
    dockerClient()
      .getVolume(databaseVolume(`routeql-${stack}`))
      .inspect(),
  );
  if (volume?.Labels?.[dataVolumeLabel] === undefined) return [];
  const empty = await withClient(
    () => openDatabase(stack, "owner"),
    "routeql up",
    async (client) => {
      const { rows } = await client.query<{ empty: boolean }>("select not exists (select from auth.users) as empty");
      return rows[0]?.empty === true;
    },
  );
  if (!empty) return [];
  const option = stackOption(stack);
  return [
    `The volume of the database was lost; the database is empty, and logins answer 503. Restore the data: npm run restore --${option} --latest from the archive, or npm run restore --${option} FILE from a backup. ` +
      `Without a backup, create an account and load data: npm run users --${option} add EMAIL --role operator.`,
  ];
}
