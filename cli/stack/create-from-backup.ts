import { printable } from "@routeql/contract/printable";
import { Failure } from "@routeql/host/failure";
import { settingNames, settings } from "@routeql/infra/settings/list";
import { BackupFile } from "../database/backup-file.ts";
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

/** Creates a stack from the state in a complete backup. @param unauthenticated accepts a file without authentication @throws Failure */
export async function createFromBackup(
  stack: string,
  file: string,
  key: string,
  unauthenticated: boolean,
  signal: AbortSignal,
): Promise<void> {
  const token = unauthenticated ? undefined : await tokenOfKey(key);
  const state = await (await BackupFile.open(file)).state(token);
  if (state === undefined)
    throw new Failure(`${file} has no saved state`, { remedy: "restore it into a new stack, without --key." });
  const names = await unpackState(stack, state, key);
  console.log(
    [
      `Files of the backup: ${names.filter((name) => !name.includes("/state/")).join(", ")}`,
      "Its settings:",
      ...(await listSettings(stack)),
    ].join("\n"),
  );
  await bringUp({ stack, signal, adopt: true });
}
