import type { StackPaths } from "../foundation/paths.ts";
import { pulumiHome } from "../plugins/choice.ts";

export const backendOf = (paths: StackPaths): string => `file://${paths.state}`;

/** What the CLI has to know to work on a stack: state in a folder of the checkout, no account, no update check. */
export const cliEnvironment = (paths: StackPaths): Record<string, string> => ({
  PULUMI_HOME: pulumiHome(),
  PULUMI_BACKEND_URL: backendOf(paths),
  PULUMI_CONFIG_PASSPHRASE_FILE: paths.passphrase,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  // Its own logs, encrypted, one for each call; ours has what matters.
  PULUMI_LOG_ROTATION_MAX_AGE_DAYS: "1",
  PULUMI_LOG_ROTATION_MAX_TOTAL_MB: "20",
  ROUTEQL_NODE: process.execPath,
});
