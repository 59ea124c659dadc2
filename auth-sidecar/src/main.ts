import { createLogger } from "./logging.ts";
import { readSettings, SettingsError } from "./settings.ts";
import { startSidecar } from "./sidecar.ts";

try {
  const settings = readSettings(process.env);
  const log = createLogger(settings.LOG_LEVEL);
  const sidecar = await startSidecar(settings, log);
  log.info({ port: sidecar.port, metricsPort: sidecar.metricsPort }, "listening");

  let stopped = false;
  const stop = async (reason: string, exitCode: number): Promise<void> => {
    if (stopped) return;
    stopped = true;
    log.info({ reason }, "stopping");
    await sidecar.stop();
    process.exitCode = exitCode;
  };
  for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => void stop(signal, 0));
  process.on("uncaughtException", (error) => {
    log.fatal({ err: error }, "an unhandled error");
    void stop("uncaughtException", 1);
  });
  sidecar.prepared.then(
    () => log.info("ready"),
    (error: unknown) => {
      if (stopped) return;
      log.fatal({ err: error }, "cannot start");
      void stop("cannot start", 1);
    },
  );
} catch (error) {
  if (!(error instanceof SettingsError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}
