import { changedMigration, changedRemedy } from "@routeql/database/migrate/own-migrations";
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
    let changed: string | undefined;
    try {
      await client.connect();
      changed = await changedMigration(client, own);
    } catch {
      return "not compared: the database does not answer";
    } finally {
      await client.end().catch(() => undefined);
      await opened.close();
    }
    if (changed === undefined) return "those in the database are unchanged";
    throw new Failure(`MIGRATIONS: ${changed}`, { remedy: `${changedRemedy.replace(/^R/, "r")}.` });
  },
});
