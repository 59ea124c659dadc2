import { messageOf } from "@routeql/host/failure";
import type { Execute } from "@routeql/host/program-streams";
import { stackOption } from "../foundation/command.ts";
import { outputOf } from "./alerts.ts";
import type { ArchiveFacts } from "./report.ts";

/** Milliseconds for an object storage that does not answer. */
const patience = 20_000;

/** Facts that the archive's own service reads. @param execute runs a program in its container */
export async function archiveFacts(execute: Execute, signal: AbortSignal): Promise<ArchiveFacts> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    return readArchiveFacts(await outputOf(execute, ["pgbackrest-archive", "facts"], limit));
  } catch (error) {
    signal.throwIfAborted();
    const [, reason = messageOf(error)] = /archive: info failed: (.*)/.exec(messageOf(error)) ?? [];
    return { newestBackup: null, problem: reason };
  }
}

/** Whether the text names an archive of another database, as after a restore into a new one. */
export const isOfAnother = (text: string): boolean => text.includes("belongs to another database");

/** The sentence for the end of a restore into a new database; none for an archive of this database. */
export const archiveAdvice = ({ problem = "" }: ArchiveFacts, stack: string): readonly string[] =>
  isOfAnother(problem)
    ? [
        "The archive belongs to the former database and takes no changes of this one. " +
          `To restore it with its later changes: npm run restore --${stackOption(stack)} --latest`,
      ]
    : [];

/** @param text seconds of the newest backup or 0, a tab, and the cause of failures or nothing */
export function readArchiveFacts(text: string): ArchiveFacts {
  const [seconds = "", problem = ""] = text.trimEnd().split("\t");
  const time = Number(seconds) * 1000;
  return { newestBackup: time > 0 ? new Date(time).toISOString() : null, ...(problem === "" ? {} : { problem }) };
}
