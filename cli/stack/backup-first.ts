import { mkdir, readdir, rm } from "node:fs/promises";
import { join, relative } from "node:path";
import { PassThrough } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder } from "@routeql/host/paths";
import { builtImages, pulledImages } from "@routeql/infra/images";
import { hasNewMigrations } from "@routeql/infra/release";
import { archives } from "@routeql/infra/settings/archive";
import { openPlace } from "../open-place.ts";
import { backUpTo } from "../database/backup.ts";
import { openClientPrograms } from "../database/client-programs.ts";
import { recordRun } from "../place/programs.ts";
import { stackOption } from "../foundation/command.ts";
import type { Phase, Ready } from "../foundation/phases.ts";
import type { StackConfiguration } from "../configuration/configuration.ts";
import { movesArchive } from "./lost-archive.ts";
import type { StackFiles } from "./phases.ts";
import { storedOutputs } from "../pulumi/recovery.ts";

/** Dumps of updates that stay. */
const kept = 3;

type Outputs = Readonly<Record<string, unknown>>;

/** Why an update changes the data or its server; undefined if it changes neither. */
export function dataChange(
  before: Outputs,
  databaseImage: string | undefined,
  migrations?: string,
): string | undefined {
  if (hasNewMigrations(before["release"], migrations)) return "new migrations";
  const services = before["services"] as readonly { readonly service: string; readonly image: string }[];
  const image = services.find(({ service }) => service === "database")?.image;
  return image === undefined || image === databaseImage ? undefined : "another image of the database";
}

/** Backs up the database before an update of its data or server. The result names the command that restores this state. */
export function backupPhase({ stack, paths }: StackFiles, configuration: Ready<StackConfiguration>): Phase {
  return {
    title: "Backup",
    work: async ({ show, signal }) => {
      const { plain, given } = configuration.result;
      const before = await storedOutputs(paths, stack);
      if (before["services"] === undefined) return "skipped, the stack is new or down";
      const images = [...builtImages(plain), ...pulledImages(plain)];
      const change = dataChange(before, images.find(({ name }) => name === "database")?.imageName, plain.migrations);
      if (change === undefined) return "skipped, the data does not change";
      const place = await openPlace(stack);
      if (plain.database === "single" && (await place.isStopped("database")))
        return "skipped, the database does not run";
      const option = stackOption(stack);
      try {
        show(`${change}: backing up the database`);
        const moves = archives(plain) && (await movesArchive(stack, plain, given.archiveKey));
        if (archives(plain) && !moves && !(await place.isStopped("archive"))) {
          const archive = await place.archive();
          await archive.run("backup", signal, new PassThrough().resume());
          // pgBackRest knows the end of a backup in whole seconds, and restores from backups that ended before the moment.
          await sleep(2000, undefined, { signal });
          const moment = new Date().toISOString();
          return `${change}. To undo its changes: npm run restore --${option} --to-time ${moment}`;
        }
        const file = await dump(stack, join(paths.folder, "backups"), show, signal);
        return `${change}. To undo its changes: npm run restore --${option} --replace ${relative(projectFolder, file)}`;
      } catch (error) {
        signal.throwIfAborted();
        throw new Failure("The backup before the update failed. Nothing was changed", {
          lastLines: error instanceof Failure ? [error.message, ...error.lastLines] : [messageOf(error)],
          remedy: "fix the cause and run this command again, or set BACKUP_BEFORE_UPDATE=false for this update.",
          cause: error,
        });
      }
    },
  };
}

async function dump(stack: string, folder: string, show: (text: string) => void, signal: AbortSignal): Promise<string> {
  const started = performance.now();
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, `${new Date().toISOString().replaceAll(/[:.]/g, "-")}.dump`);
  await using programs = await openClientPrograms(stack, signal);
  const bytes = await backUpTo(programs, file, (count) =>
    show(`backing up the database: ${Math.round(count / 1e6)} MB`),
  );
  await recordRun(programs, "backup", started, bytes);
  const old = (await readdir(folder)).filter((name) => name.endsWith(".dump")).toSorted();
  for (const name of old.slice(0, -kept)) await rm(join(folder, name));
  return file;
}
