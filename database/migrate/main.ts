/** The migrate job: roles and passwords first, then migrations, grants and the first administrator. A second run changes nothing. */
import { printableLines } from "@routeql/contract/printable";
import { type Client, DatabaseError } from "pg";
import { advisoryLocks } from "@routeql/database-access/advisory-locks";
import { actForOwners, isSuperuser, withholdFromServices } from "./administrator.ts";
import { connectAsAdministrator, connectionTo, connectWhenReady } from "./connect.ts";
import {
  ensureDatabase,
  ensureMetadataSchema,
  refuseOtherStack,
  resetSettings,
  restrictDatabases,
} from "./database.ts";
import { ensureFirstAdministrator } from "./first-administrator.ts";
import { migrate } from "./migrations.ts";
import { readOwn } from "./own-migrations.ts";
import { changeOwnPassword, dropOptionalRole, ensureRole, loginRole } from "./roles.ts";
import { type MigrateSettings, optionalRoleNames, readSettings, roleNames } from "./settings.ts";

async function main(): Promise<void> {
  const done = await run(readSettings(process.env));
  for (const sentence of done) console.log(`migrate: ${sentence}`);
  console.log(done.length === 0 ? "migrate: everything was in place" : `migrate: done, ${done.length} changes`);
}

async function run(settings: MigrateSettings): Promise<string[]> {
  const { database } = settings;
  const done: string[] = [];
  return using(await connectAfterRotation(settings, done), async (client) => {
    // A second concurrent job waits for the first.
    await client.query("select pg_advisory_lock($1)", [advisoryLocks.job]);
    await refuseOtherStack(client, settings);
    const superuser = await isSuperuser(client);
    for (const name of roleNames)
      done.push(...(await ensureRole(client, name, settings.passwords[name], superuser, settings.secondLogins)));
    for (const name of optionalRoleNames) {
      const password = settings.optionalPasswords[name];
      done.push(
        ...(password === undefined
          ? await dropOptionalRole(client, name, database)
          : await ensureRole(client, name, password, superuser)),
      );
    }
    await actForOwners(client);
    done.push(
      ...(await ensureDatabase(client, database)),
      ...(await resetSettings(client, database)),
      ...(await restrictDatabases(client, database)),
    );
    const inDatabase = await connectAsAdministrator(settings, database, superuser && (await isSince17(client)));
    done.push(
      ...(await using(inDatabase, async (there) => [
        ...(await ensureMetadataSchema(there)),
        ...(await withholdFromServices(there)),
      ])),
    );
    return [...done, ...(await asOwner(settings))];
  });
}

/** Connects as the administrator. A password that was rotated is still the previous one in the database; it is changed then. */
async function connectAfterRotation(settings: MigrateSettings, done: string[]): Promise<Client> {
  try {
    return await connectAsAdministrator(settings, "postgres", false);
  } catch (error) {
    const { bootstrap, previousBootstrapPassword: password } = settings;
    const isWrong = error instanceof Error && error.cause instanceof DatabaseError && error.cause.code === "28P01";
    if (!isWrong || password === undefined) throw error;
    const former = { ...settings, bootstrap: { ...bootstrap, password } };
    const client = await connectAsAdministrator(former, "postgres", false);
    done.push(await changeOwnPassword(client, bootstrap.user, bootstrap.password));
    return client;
  }
}

async function asOwner(settings: MigrateSettings): Promise<string[]> {
  const owner = { user: loginRole("owner"), password: settings.passwords.owner };
  return using(
    await connectWhenReady(connectionTo(settings, owner, settings.database), settings.waitSeconds),
    async (client) => {
      const done = await migrate(client, readOwn(settings));
      return settings.administrator === undefined
        ? done
        : [...done, ...(await ensureFirstAdministrator(client, settings.administrator))];
    },
  );
}

async function isSince17(client: Client): Promise<boolean> {
  const { rows } = await client.query<{ version: string }>("show server_version_num");
  return Number(rows[0]?.version) >= 170_000;
}

async function using<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

try {
  await main();
} catch (error) {
  console.error(`migrate: ${printableLines(error instanceof Error ? error.message : String(error))}`);
  process.exitCode = 1;
}
