import type { PlainSettings } from "../settings/list.ts";
import { describeApplyMetadata } from "./apply-metadata.ts";
import { describeAuthSidecar } from "./auth-sidecar.ts";
import type { SidecarSurroundings } from "./auth-sidecar.ts";
import { describeDatabase } from "./database.ts";
import type { ServiceDescription } from "./description.ts";
import { describeEngine } from "./engine.ts";
import { describeGateway } from "./gateway.ts";
import type { GatewaySurroundings } from "./gateway.ts";
import { describeMigrate } from "./migrate.ts";
import { withMonitoring } from "./monitoring.ts";
import type { MonitoringSurroundings } from "./monitoring.ts";
import { onOfficialImage } from "./official-images.ts";
import { placeParts } from "./placement.ts";
import type { PlacementSurroundings } from "./placement.ts";
import { describeSessions } from "./sessions.ts";

export type Surroundings = GatewaySurroundings & SidecarSurroundings & PlacementSurroundings & MonitoringSurroundings;

/** Every service and job of the stack, each after those it waits for. */
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
  const placed = withMonitoring(placeParts(services, settings, surroundings), settings, surroundings);
  return settings.images === "official" ? placed.map(onOfficialImage) : placed;
}
