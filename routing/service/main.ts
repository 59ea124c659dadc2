/** The process of live updates. */
import { createLogger } from "./log.ts";
import { startService } from "./service.ts";
import { readSettings, SettingsError } from "./settings.ts";

try {
  const settings = readSettings(process.env);
  const log = createLogger(settings.LOG_LEVEL);
  const service = await startService(settings, log);
  log.info({ sources: settings.FEED_SOURCES, metricsPort: service.metricsPort }, "started");
  for (const signal of ["SIGTERM", "SIGINT"] as const)
    process.once(signal, () => {
      log.info({ signal }, "stopping");
      void service.stop().then(() => log.info({}, "stopped"));
    });
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
