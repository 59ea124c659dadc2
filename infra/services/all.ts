import { hasFront } from "../images.ts";
import { textOf } from "../inputs.ts";
import type { Settings } from "../settings/list.ts";
import { archives } from "../settings/archive.ts";
import { describeArchive, withArchive } from "./archive.ts";
import { describeAuthSidecar } from "./auth-sidecar.ts";
import { describeDatabase } from "./database.ts";
import { inStartOrder, type ServiceDescription } from "../description/service.ts";
import { describeEmbeddedEngine, describeFront } from "./embedded-engine.ts";
import { describeFeed, hasFeed } from "./feed.ts";
import { describeGateway } from "./gateway.ts";
import { describeApplyMetadata, describeHasura } from "./hasura.ts";
import { schemaVersion } from "./metadata-files.ts";
import { describeMigrate } from "./migrate.ts";
import { withMonitoring } from "./monitoring.ts";
import { onOfficialImage } from "./official-images.ts";
import { withOwnNames } from "./outside.ts";
import { placeParts } from "./placement.ts";
import { describeSessions } from "./sessions.ts";
import type { Surroundings } from "../description/surroundings.ts";

/** Every service and job of the stack, in start order. */
export function describeServices(settings: Settings, surroundings: Surroundings): readonly ServiceDescription[] {
  const archived = archives(settings);
  const database = describeDatabase(settings);
  const services = [
    archived ? withArchive(database, settings, surroundings) : database,
    describeMigrate(settings),
    ...(archived ? [describeArchive(settings, surroundings)] : []),
    ...(settings.engine === "hasura" ? [describeApplyMetadata(settings)] : []),
    describeSessions(),
    describeAuthSidecar(settings, surroundings),
    describeEngine(settings),
    ...(hasFront(settings) ? [describeFront(settings)] : []),
    describeGateway(settings, surroundings),
    ...(hasFeed(settings) ? [describeFeed(settings)] : []),
  ];
  const traced = withTraces(placeParts(services, settings, surroundings), settings);
  const placed = withOwnNames(withMonitoring(traced, settings, surroundings), settings, surroundings);
  return inStartOrder(settings.images === "official" ? placed.map(onOfficialImage) : placed);
}

/** The GraphQL engine. Other services do not depend on the choice of the engine. */
function describeEngine(settings: Settings): ServiceDescription {
  if (settings.engine === "hasura") return describeHasura(settings);
  const engine = describeEmbeddedEngine(settings);
  // New migrations of RouteQL come with another image.
  if (settings.migrations === undefined) return engine;
  return { ...engine, environment: { ...engine.environment, SCHEMA_VERSION: schemaVersion(settings) } };
}

/** The services of this project that answer requests. Hasura's open edition has no metrics port and exports no traces. */
const exports = ({ name, metricsPort }: ServiceDescription): boolean =>
  (name === "front" || name === "engine" || name === "auth-sidecar") && metricsPort !== undefined;

/** Adds the collector to the services with traces. Without an endpoint the services are unchanged. */
export function withTraces(
  services: readonly ServiceDescription[],
  { traceEndpoint, tracePercent }: Pick<Settings, "traceEndpoint" | "tracePercent">,
): readonly ServiceDescription[] {
  if (traceEndpoint === undefined) return services;
  const environment = { TRACE_ENDPOINT: traceEndpoint, TRACE_PERCENT: textOf(tracePercent) };
  return services.map((service) => {
    if (!exports(service)) return service;
    return {
      ...service,
      environment: { ...service.environment, ...environment },
      callsOutside: [...(service.callsOutside ?? []), "collector"],
    };
  });
}
