import {
  appliedMigrations,
  changedMigration,
  changedRemedy,
  type OwnMigration,
} from "@routeql/database/migrate/own-migrations";
import { Failure } from "@routeql/host/failure";
import { isRelease } from "@routeql/infra/release";
import { ownMigrationsIn } from "@routeql/infra/settings/values/own-metadata";
import { Client } from "pg";
import type { StackConfiguration } from "../configuration/configuration.ts";
import { openDatabase } from "../database/open-database.ts";
import type { Phase, Ready } from "../foundation/phases.ts";
import { storedOutputs } from "../pulumi/recovery.ts";
import type { StackFiles } from "./phases.ts";

interface Asked {
  readonly open?: typeof openDatabase;
  readonly outputs?: typeof storedOutputs;
}

/** Names the migrations that an update applies. @throws Failure for a changed one */
export function comparison(applied: readonly OwnMigration[], own: readonly OwnMigration[]): string {
  const changed = changedMigration(applied, own);
  if (changed !== undefined)
    throw new Failure(`MIGRATIONS: ${changed}`, { remedy: `${changedRemedy.replace(/^R/, "r")}.` });
  const pending = own.slice(applied.length).map(({ name }) => name);
  const [unchanged = `the ${applied.length} in the database are unchanged`] = [
    "none in the database",
    "the one in the database is unchanged",
  ].slice(applied.length, applied.length + 1);
  if (pending.length === 0) return unchanged;
  const names = pending.length > 3 ? `${pending[0]} to ${pending.at(-1)}` : pending.join(", ");
  return `${unchanged}, ${pending.length} new to be applied: ${names}`;
}

/** Compares your migrations with those in the database, before the job `migrate` of an update refuses them. */
export const ownMigrationsPhase = (
  { stack, paths }: StackFiles,
  configuration: Ready<StackConfiguration>,
  { open = openDatabase, outputs = storedOutputs }: Asked = {},
): Phase => ({
  title: "Own migrations",
  work: async () => {
    const { services, release } = await outputs(paths, stack);
    if (services === undefined) return "skipped, the stack is new or down";
    const { migrations } = configuration.result.plain;
    if (migrations === undefined && (!isRelease(release) || (release.ownMigration ?? "") === ""))
      return "skipped, there are none";
    const opened = await open(stack, "owner").catch(() => undefined);
    if (opened === undefined) return "not compared: the database does not answer";
    const client = new Client(opened.config);
    client.on("error", () => undefined);
    const own = Object.entries(ownMigrationsIn(migrations)).map(([file, content]) => ({
      name: file.replace(/\.sql$/, ""),
      content,
    }));
    let applied: readonly OwnMigration[];
    try {
      await client.connect();
      applied = await appliedMigrations(client);
    } catch {
      return "not compared: the database does not answer";
    } finally {
      await client.end().catch(() => undefined);
      await opened.close();
    }
    return comparison(applied, own);
  },
});
