/** Administration inside the running container, with its settings. Exit status: 0 success, 1 failure with the reason on standard error. */
import { printableLines } from "@routeql/contract/printable";
import { Unavailable } from "../errors.ts";
import { readSettings, SettingsError } from "../settings.ts";
import { AdministrationError, parseCommand, usage } from "./command.ts";
import { readNewPassword } from "./read-password.ts";
import { runCommand } from "./run-command.ts";

try {
  const command = parseCommand(process.argv.slice(2), readNewPassword);
  if (command.options.help) console.log(usage);
  else console.log(await runCommand(command, readSettings(process.env)));
} catch (error) {
  process.exitCode = 1;
  if (error instanceof AdministrationError || error instanceof SettingsError)
    console.error(printableLines(error.message));
  else if (error instanceof Unavailable)
    console.error(`the command failed or is incomplete: ${error.reason} does not answer`);
  else throw error;
}
