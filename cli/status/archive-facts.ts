import { messageOf } from "@routeql/host/failure";
import { containerOf, outputOf } from "./alerts.ts";
import type { ArchiveFacts } from "./report.ts";

/** Milliseconds for an object storage that does not answer. */
const patience = 20_000;

/** What the archive's own service reads in it; undefined without one, or while it does not run. */
export async function archiveFacts(stack: string, signal: AbortSignal): Promise<ArchiveFacts | undefined> {
  const container = await containerOf(stack, "archive");
  if (container === undefined) return undefined;
  const limit = AbortSignal.any([signal, AbortSignal.timeout(patience)]);
  try {
    return readArchiveFacts(await outputOf(container, ["pgbackrest-archive", "facts"], limit));
  } catch (error) {
    signal.throwIfAborted();
    const [, reason = messageOf(error)] = /archive: info failed: (.*)/.exec(messageOf(error)) ?? [];
    return { newestBackup: null, problem: reason };
  }
}

/** @param text seconds of the newest backup or 0, a tab, and the cause of failures or nothing */
export function readArchiveFacts(text: string): ArchiveFacts {
  const [seconds = "", problem = ""] = text.trimEnd().split("\t");
  const time = Number(seconds) * 1000;
  return { newestBackup: time > 0 ? new Date(time).toISOString() : null, ...(problem === "" ? {} : { problem }) };
}
