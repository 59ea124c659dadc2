import type { Logger } from "pino";
import { createEngine, type Engine, type EngineEvent } from "../engine.ts";
import { MetadataError } from "../metadata/problems.ts";
import type { Environment } from "./environment.ts";
import type { Settings } from "./settings.ts";

const retryDelay = 1_000;

/**
 * Creates the engine; while the database does not answer, again until the start timeout.
 * @throws MetadataError at once when metadata are wrong; else the last failure.
 */
export async function startEngine(
  settings: Settings,
  environment: Environment,
  logger: Logger,
  onEvent: (event: EngineEvent) => void,
): Promise<Engine> {
  const deadline = performance.now() + settings.startTimeout * 1_000;
  for (;;) {
    try {
      return await createEngine({ ...engineOptions(settings), metadata: settings.metadataDirectory, environment, onEvent });
    } catch (error) {
      if (error instanceof MetadataError || performance.now() + retryDelay > deadline) throw error;
      logger.warn({ cause: causeOf(error) }, "the database does not answer yet");
    }
    await new Promise((wake) => setTimeout(wake, retryDelay));
  }
}

function engineOptions(settings: Settings) {
  const { stringifyNumericTypes, inferFunctionPermissions, enableAllowList, allowUnsupported, allowInconsistent } = settings;
  const { namingConvention, maxDepth, maxBreadth, statementTimeout, poolSize, planCacheSize, bodyLimit } = settings;
  return {
    stringifyNumericTypes,
    inferFunctionPermissions,
    enableAllowList,
    allowUnsupported,
    allowInconsistent,
    namingConvention,
    maxDepth,
    maxBreadth,
    maxQueryLength: bodyLimit,
    statementTimeout,
    poolSize,
    planCacheSize,
  };
}

/** Why a connection failed, by SQLSTATE or errno: messages of drivers can name users and addresses. */
function causeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && /^[A-Z0-9_]+$/.test(code)) return code;
  }
  return error instanceof Error ? error.name : "unknown";
}
