import type { LibpqConfig } from "@routeql/contract/connection/client";
import type { LoadedMetadata } from "@routeql/metadata/read/load";
import type { SourceMetadata } from "@routeql/metadata/read/shape";
import type { EngineOptions } from "../../interface.ts";
import { connectionAt, connectionOf } from "./connection.ts";
import { Database } from "./database.ts";

const defaults = { statementTimeout: 30_000, poolSize: 4, idleSeconds: 180 };

/** Connections to the primary of a source that is a hot standby, for live queries. */
const onPrimary = 2;

/** A database with the connections that the engine may open to it. */
export interface Place {
  readonly connection: LibpqConfig;
  readonly size: number;
}

/** The places of a source, and of its primary if the source is a hot standby. Both together have the connections of the source. @throws MetadataError */
export function placesOf(
  source: SourceMetadata,
  index: number,
  options: EngineOptions,
  loaded: LoadedMetadata,
): { readonly own: Place; readonly primary: Place | undefined } {
  const connection = connectionOf(source, index, options.environment ?? process.env, loaded);
  const { pool_settings: settings } = source.configuration.connection_info;
  const size = options.poolSize ?? settings?.max_connections ?? defaults.poolSize;
  const { primaryDatabaseUrl: url, liveQueries } = options;
  const primary = index > 0 || url === undefined || liveQueries === "poll" ? undefined : connectionAt(url);
  if (primary === undefined || (primary.host === connection.host && primary.port === connection.port))
    return { own: { connection, size }, primary: undefined };
  const live = Math.min(onPrimary, Math.max(1, size - 1));
  return { own: { connection, size: Math.max(1, size - live) }, primary: { connection: primary, size: live } };
}

export function openDatabase(source: SourceMetadata, { connection, size }: Place, options: EngineOptions): Database {
  const { pool_settings: settings, isolation_level: isolation } = source.configuration.connection_info;
  return new Database({
    connection,
    poolSize: size,
    statementTimeout: options.statementTimeout ?? defaults.statementTimeout,
    answerLimit: options.maxAnswerBytes,
    isolation: isolation ?? undefined,
    idleTimeout: (settings?.idle_timeout ?? defaults.idleSeconds) * 1000,
    onConnectionLost: (message) => options.onEvent?.({ type: "connection-lost", message }),
  });
}
