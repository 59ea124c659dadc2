import { engineEnvironment } from "@routeql/host/docker/engine-address";
import type { StackPaths } from "@routeql/host/paths";
import { pulumiHome } from "@routeql/providers/choice";

/** A URL: a folder's name may have characters that are special there. */
export const backendOf = (paths: StackPaths): string => `file://${paths.state.replaceAll(/[%#?]/g, encodeURIComponent)}`;

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
  // The official docker provider knows nothing of contexts.
  ...engineEnvironment(),
});
