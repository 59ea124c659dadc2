import { printable } from "@routeql/contract/printable";
import { Failure } from "@routeql/host/failure";
import { settingNames, settings } from "@routeql/infra/settings/list";
import { BackupFile } from "../database/backup-file.ts";
import { shellQuote } from "../access/access.ts";
import { bringUp } from "./bring-up.ts";
import { readConfiguration } from "../configuration/configuration.ts";
import { tokenOfKey } from "../saved-state/backup-token.ts";
import { unpackState } from "../saved-state/saved-state.ts";

/** Names and values of the settings of a saved state, one a line; secrets by their name. */
async function listSettings(stack: string): Promise<string[]> {
  const { given } = await readConfiguration(stack);
  return settingNames.flatMap((name) => {
    const { environment, type } = settings[name];
    if (given[name] === undefined) return [];
    return [`  ${environment}=${type === "secret" ? "[secret]" : printable(String(given[name]))}`];
  });
}

interface OpenedBackup {
  /** Of a private copy. */
  readonly path: string;
  /** As the user named it. */
  readonly file: string;
}

/** Creates a stack from the state in a complete backup. @param unauthenticated accepts a file without authentication @throws Failure */
export async function createFromBackup(
  stack: string,
  { path, file }: OpenedBackup,
  key: string,
  unauthenticated: boolean,
  signal: AbortSignal,
): Promise<void> {
  const token = unauthenticated ? undefined : await tokenOfKey(key);
  const state = await (await BackupFile.open(path)).state(token);
  if (state === undefined)
    throw new Failure(`${file} has no saved state`, { remedy: "restore it into a new stack, without --key." });
  const names = await unpackState(stack, state, key);
  console.log(`Files of the backup: ${names.filter((name) => !name.includes("/state/")).join(", ")}`);
  try {
    console.log(["Its settings:", ...(await listSettings(stack))].join("\n"));
    await bringUp({ stack, signal, adopt: true });
  } catch (error) {
    throw resumable(error, stack, file);
  }
}

/** The failure of a start after the files were written: `--key` refuses changed ones, so other commands resume. */
export function resumable(error: unknown, stack: string, file: string): unknown {
  if (!(error instanceof Failure)) return error;
  const { message, lastLines, remedy = "", cause } = error;
  const first = remedy === "" || /\bthis command again\b/.test(remedy) ? "fix the cause." : remedy;
  const resume = `npm run up -- --stack ${stack} --adopt && npm run restore -- --stack ${stack} ${shellQuote(file)}`;
  return new Failure(message, {
    lastLines,
    cause,
    remedy: `${first} The files of the backup are written. Then run: ${resume}`,
  });
}
