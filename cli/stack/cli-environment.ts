import { engineEnvironment } from "@routeql/host/docker/engine-address";
import type { StackPaths } from "@routeql/host/paths";
import { pulumiHome } from "@routeql/providers/choice";

/** A URL, because folder names may contain characters that are special in URLs. */
export const backendOf = (paths: StackPaths): string =>
  `file://${paths.state.replaceAll(/[%#?]/g, encodeURIComponent)}`;

/** Environment of the CLI for a stack: state in a folder of the checkout, no account, no update check. */
export const cliEnvironment = (paths: StackPaths): Record<string, string> => ({
  PULUMI_HOME: pulumiHome(),
  PULUMI_BACKEND_URL: backendOf(paths),
  PULUMI_CONFIG_PASSPHRASE_FILE: paths.passphrase,
  PULUMI_SKIP_UPDATE_CHECK: "true",
  PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: "true",
  // Limits the CLI's own encrypted logs, one per call; the run log has the relevant lines.
  PULUMI_LOG_ROTATION_MAX_AGE_DAYS: "1",
  PULUMI_LOG_ROTATION_MAX_TOTAL_MB: "20",
  ROUTEQL_NODE: process.execPath,
  // The official Docker provider ignores Docker contexts.
  ...engineEnvironment(),
});
