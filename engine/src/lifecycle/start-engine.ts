import { statSync } from "node:fs";
import type { Environment } from "@routeql/contract/environment";
import { type Inconsistency, MetadataError, type Problem } from "@routeql/metadata/read/problems";
import type { Logger } from "pino";
import { createEngine, type Engine, type EngineEvent, type EngineOptions } from "../engine.ts";
import { createEmbeddedExecutor } from "../executors/embedded.ts";
import { createAdministration } from "../metadata-api/routes.ts";
import { MetadataKeeper, type MetadataKeeperEvent } from "../metadata-store/metadata-keeper.ts";
import {
  createMetadataStore,
  emptyMetadata,
  type MetadataStore,
  type StoredMetadata,
} from "../metadata-store/store.ts";
import { authenticatorOf, serve, type Served } from "./serve.ts";
import type { Settings } from "../settings/settings.ts";

const retryDelay = 1_000;
const usualDirectory = "/run/routeql/metadata";

export interface StartedEngine {
  readonly engine: Engine;
  readonly metadata: MetadataKeeper;
}

/** Starts the embedded engine and serves it. @throws as {@link startEngine} does */
export async function serveEmbedded(settings: Settings, environment: Environment, logger: Logger): Promise<Served> {
  const began = performance.now();
  let served: Served | undefined;
  const authenticator = await authenticatorOf(settings, logger);
  const { engine, metadata } = await startEngine(settings, environment, logger, (event) => {
    if (event.type === "connection-lost") {
      logger.warn({ event: event.type }, "a connection to the database was lost");
      return;
    }
    if (event.type === "listening") {
      logger.info({ source: event.message }, "live queries run after notices of changes");
      return;
    }
    if (event.type === "not-listening") {
      logger.warn({ reason: event.message }, "no notices of changes arrive; live queries are polled");
      return;
    }
    logger.info({ event: event.type }, "metadata reloaded");
    served?.restartConnections();
  });
  logInconsistencies(metadata.inconsistencies, logger);
  for (const { file, path, reason } of engine.notes) logger.info({ file, path, reason }, "without effect");
  served = await serve({
    settings,
    createExecutor: (events) => createEmbeddedExecutor(engine, settings, events),
    administration: createAdministration(engine, metadata),
    authenticator,
    logger,
  });
  const { port, metricsPort } = served;
  logger.info(
    { port, metricsPort, roles: engine.roles.length, milliseconds: Math.round(performance.now() - began) },
    "engine started",
  );
  return served;
}

/** Creates the engine; retries while a database does not answer. @throws MetadataError immediately; else the last failure. */
async function startEngine(
  settings: Settings,
  environment: Environment,
  logger: Logger,
  onEvent: (event: EngineEvent) => void,
): Promise<StartedEngine> {
  const store = storeOf(settings, logger);
  const open = (): Promise<OpenedMetadata> =>
    openMetadata({
      store,
      directory: directoryOf(settings),
      allowInconsistent: settings.allowInconsistent,
      // With only the metadata API enabled, an administrator can repair the stored metadata.
      startsWithoutMetadata: !settings.enabledApis.includes("graphql"),
      create: (source, allowInconsistent) =>
        createEngine({ ...engineOptions(settings), metadata: source, allowInconsistent, environment, onEvent }),
    });
  try {
    const { engine, stored, unserved } = await untilReachable(open, settings.startTimeout * 1_000, logger);
    const pollInterval = settings.metadataPollInterval;
    const onEvent = (event: MetadataKeeperEvent): void => logMetadataEvent(event, logger);
    return { engine, metadata: new MetadataKeeper({ engine, store, stored, unserved, pollInterval, onEvent }) };
  } catch (error) {
    await store?.close();
    throw error;
  }
}

function storeOf({ metadataDatabaseUrl: connectionString }: Settings, logger: Logger): MetadataStore | undefined {
  if (connectionString === undefined) return undefined;
  return createMetadataStore({
    connectionString,
    onConnectionLost: () => logger.warn("a connection to the metadata database was lost"),
  });
}

/** With a metadata database the default directory may be missing: the first metadata is then empty. */
function directoryOf({ metadataDirectory, metadataDatabaseUrl }: Settings): string | undefined {
  if (metadataDirectory !== undefined) return metadataDirectory;
  const isThere = statSync(usualDirectory, { throwIfNoEntry: false }) !== undefined;
  return isThere || metadataDatabaseUrl === undefined ? usualDirectory : undefined;
}

interface OpenMetadataOptions {
  readonly store: MetadataStore | undefined;
  /** A metadata directory; with a store, only the initial metadata. */
  readonly directory: string | undefined;
  /** For metadata from the directory. Stored metadata is always served as far as it is consistent: its inconsistencies were allowed. */
  readonly allowInconsistent: boolean;
  /** Start without served metadata when the stored metadata cannot be served at all. */
  readonly startsWithoutMetadata: boolean;
  readonly create: (metadata: EngineOptions["metadata"], allowInconsistent: boolean) => Promise<Engine>;
}

interface OpenedMetadata {
  readonly engine: Engine;
  readonly stored: StoredMetadata | undefined;
  /** Why none of the stored metadata is served. */
  readonly unserved: readonly Inconsistency[];
}

/** An engine over the stored metadata, or the directory's, which an empty store takes over. @throws MetadataError; errors of the store */
async function openMetadata(options: OpenMetadataOptions): Promise<OpenedMetadata> {
  const { store, directory, create } = options;
  const createInitial = () => create(directory ?? emptyMetadata, options.allowInconsistent);
  if (store === undefined) return { engine: await createInitial(), stored: undefined, unserved: [] };
  await store.prepare();
  const stored = await store.read();
  if (stored !== undefined) return serveStored(stored, options);
  // Metadata that cannot be served is not stored.
  const engine = await createInitial();
  try {
    await store.seed(engine.metadata);
  } finally {
    await engine.close();
  }
  const seeded = await store.read();
  if (seeded === undefined) throw new Error("the metadata could not be stored");
  return serveStored(seeded, options);
}

async function serveStored(
  stored: StoredMetadata,
  { create, startsWithoutMetadata }: OpenMetadataOptions,
): Promise<OpenedMetadata> {
  try {
    return { engine: await create(stored.metadata, true), stored, unserved: [] };
  } catch (error) {
    if (!(error instanceof MetadataError) || !startsWithoutMetadata) throw error;
    return { engine: await create(emptyMetadata, true), stored, unserved: error.problems.map(asInconsistency) };
  }
}

function asInconsistency(problem: Problem): Inconsistency {
  return { ...problem, type: "metadata", name: problem.path, definition: null };
}

async function untilReachable<Result>(work: () => Promise<Result>, timeout: number, logger: Logger): Promise<Result> {
  const deadline = performance.now() + timeout;
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (error instanceof MetadataError || performance.now() + retryDelay > deadline) throw error;
      logger.warn({ cause: causeOf(error) }, "the database does not answer yet");
    }
    await new Promise((wake) => setTimeout(wake, retryDelay));
  }
}

/** Most options have the names of the settings. */
function engineOptions({ experimentalFeatures, ...settings }: Settings) {
  return {
    ...settings,
    hideAggregationPredicates: experimentalFeatures.includes("hide_aggregation_predicates"),
    hideStreams: experimentalFeatures.includes("hide_stream_fields"),
    costLimits: settings,
    maxQueryLength: settings.bodyLimit,
  };
}

function logMetadataEvent(event: MetadataKeeperEvent, logger: Logger): void {
  switch (event.type) {
    case "followed":
      logger.info({ resourceVersion: event.resourceVersion }, "changed metadata is now served");
      logInconsistencies(event.inconsistencies, logger);
      return;
    case "refused": {
      const reason = event.error instanceof MetadataError ? event.error.message : causeOf(event.error);
      logger.error(
        { resourceVersion: event.resourceVersion, reason },
        "changed metadata cannot be served; the previous metadata is still served",
      );
      return;
    }
    case "unreachable":
      logger.warn("the metadata database does not answer; the last metadata is still served");
      return;
    case "reachable":
      logger.info("the metadata database answers again");
  }
}

function logInconsistencies(inconsistencies: readonly Inconsistency[], logger: Logger): void {
  for (const { type, name, file, path, reason } of inconsistencies)
    logger.warn({ type, name, file, path, reason }, "not served");
}

/** The cause of a failed connection, by SQLSTATE or errno: messages of drivers can contain users and addresses. */
function causeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { code } = cause as { code?: unknown };
    if (typeof code === "string" && /^[A-Z0-9_]+$/.test(code)) return code;
  }
  return error instanceof Error ? error.name : "unknown";
}
