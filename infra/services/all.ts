import { describeApplyMetadata } from "./apply-metadata.ts";
import { describeAuthSidecar, type SidecarSurroundings } from "./auth-sidecar.ts";
import { describeDatabase } from "./database.ts";
import type { ServiceDescription } from "./description.ts";
import { describeEmbeddedEngine } from "./embedded-engine.ts";
import { describeGateway, type GatewaySurroundings } from "./gateway.ts";
import { describeHasura } from "./hasura.ts";
import { describeMigrate } from "./migrate.ts";
import { type MonitoringSurroundings, withMonitoring } from "./monitoring.ts";
import { onOfficialImage } from "./official-images.ts";
import { type PlacementSurroundings, placeParts } from "./placement.ts";
import { describeSessions } from "./sessions.ts";
import { withTraces } from "./traces.ts";
import type { PlainSettings } from "../settings/list.ts";

export type Surroundings = GatewaySurroundings & SidecarSurroundings & PlacementSurroundings & MonitoringSurroundings;

/** Every service and job of the stack, each after its dependencies. */
export function describeServices(settings: PlainSettings, surroundings: Surroundings): readonly ServiceDescription[] {
  const services = [
    describeDatabase(settings),
    describeMigrate(settings),
    ...(settings.engine === "hasura" ? [describeApplyMetadata(settings)] : []),
    describeSessions(settings),
    describeAuthSidecar(settings, surroundings),
    describeEngine(settings),
    describeGateway(settings, surroundings),
  ];
  const placed = withMonitoring(
    withTraces(placeParts(services, settings, surroundings), settings),
    settings,
    surroundings,
  );
  return settings.images === "official" ? placed.map(onOfficialImage) : placed;
}

/** The GraphQL engine. Other services do not depend on the choice of the engine. */
function describeEngine(settings: PlainSettings): ServiceDescription {
  return settings.engine === "hasura" ? describeHasura(settings) : describeEmbeddedEngine(settings);
}
