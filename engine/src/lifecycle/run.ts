import type { Environment } from "@routeql/contract/environment";
import { bufferLines, isoTime } from "@routeql/contract/log-lines";
import { MetadataError } from "@routeql/metadata/read/problems";
import { destination, type DestinationStream, type Logger, pino } from "pino";
import type { Executor } from "../executor.ts";
import { authenticatorOf, serve, type Served } from "./serve.ts";
import { readSettings, type Settings, SettingsError } from "../settings/settings.ts";

/** No secret is ever passed to the logger. As a safeguard, these keys are redacted. */
const secretKeys = ["authorization", "cookie", "token", "secret", "password", "key", "variables", "headers", "query"];

/** JSON lines on standard output. */
export function createLogger(level: string, stream: DestinationStream = standardOutput()): Logger {
  return pino(
    {
      level,
      base: undefined,
      messageKey: "message",
      timestamp: isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretKeys.flatMap((key) => [key, `*.${key}`]), censor: "[redacted]" },
    },
    stream,
  );
}

/** If writing fails, for example on a full disk, up to one mebibyte of lines is buffered and further lines are lost; the engine keeps running. */
function standardOutput(): DestinationStream {
  const stream = destination({ dest: 1, sync: true, maxLength: 1024 * 1024 });
  stream.on("error", () => undefined);
  const lines = bufferLines(stream);
  process.on("exit", () => lines.flushSync());
  return lines;
}

/** Time in milliseconds beyond the graceful timeout, for closing the pool. */
const lastGrace = 3_000;

/** The engine as a process. SIGTERM or SIGINT stops it gracefully, a second signal or one during the start at once; a failed start exits with code 1. */
export async function run(environment: Environment): Promise<void> {
  // Connections to the metadata database do not keep the process alive, and nothing else does until it serves.
  const awake = setInterval(() => undefined, 60_000);
  // The first process of a container ignores a signal without a handler, and the start may wait minutes for the database.
  let onSignal = (_signal: NodeJS.Signals): void => process.exit(0);
  for (const each of ["SIGTERM", "SIGINT"] as const) process.on(each, (signal) => onSignal(signal));
  try {
    const settings = readSettings(environment);
    const logger = createLogger(settings.logLevel);
    const served = await start(settings, environment, logger);
    onSignal = stopping(served, logger, settings.gracefulShutdownTimeout * 1_000 + lastGrace);
  } catch (error) {
    process.stderr.write(`the engine does not start: ${explain(error)}\n`);
    process.exit(1);
  } finally {
    clearInterval(awake);
  }
}

/** Each way imports its modules only when it starts: the front needs a third less memory without the embedded engine's. */
async function start(settings: Settings, environment: Environment, logger: Logger): Promise<Served> {
  const { upstream } = settings;
  if (upstream === undefined) {
    const { serveEmbedded } = await import("./start-engine.ts");
    return serveEmbedded(settings, environment, logger);
  }
  const { createHasuraExecutor } = await import("../executors/hasura/hasura.ts");
  const { forwardedAdministration } = await import("../executors/hasura/administration.ts");
  const authenticator = await authenticatorOf(settings, logger);
  const createExecutor = (): Executor => createHasuraExecutor(settings, upstream);
  const administration = forwardedAdministration(upstream, settings.upstreamSecret ?? settings.adminSecret);
  const front = await serve({ settings, createExecutor, administration, authenticator, logger });
  logger.info({ port: front.port, metricsPort: front.metricsPort, upstream }, "front started");
  return front;
}

/** @param bound milliseconds until the process exits in any case */
function stopping(served: Served, logger: Logger, bound: number): (signal: NodeJS.Signals) => void {
  let isStopping = false;
  return (signal) => {
    if (isStopping) process.exit(1);
    isStopping = true;
    logger.info({ signal }, "engine stopping");
    setTimeout(() => process.exit(1), bound).unref();
    served.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
}

function explain(error: unknown): string {
  if (error instanceof SettingsError || error instanceof MetadataError) return error.message;
  if (!(error instanceof Error)) return "unknown failure";
  const { message, cause } = error;
  return cause instanceof Error && !message.includes(cause.message) ? `${message} (${cause.message})` : message;
}
