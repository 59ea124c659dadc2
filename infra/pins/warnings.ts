import type { PlainSettings, SettingName } from "../settings/list.ts";
import { advisoriesOf, describeAdvisory } from "@routeql/pins/advisories";

type ImageSettings = Pick<
  PlainSettings,
  | "engine"
  | "hasuraImage"
  | "images"
  | "databaseImage"
  | "sessionsImage"
  | "gatewayImage"
  | "database"
  | "databaseClusterImage"
  | "sessions"
  | "nodeBase"
  | "vulnerableImages"
>;

function usedImages(settings: ImageSettings): readonly SettingName[] {
  const official = settings.images === "official";
  return [
    ...(settings.engine === "hasura" ? (["hasuraImage"] as const) : []),
    ...(official && settings.database === "single" ? (["databaseImage"] as const) : []),
    ...(settings.database === "cloudnative-pg" ? (["databaseClusterImage"] as const) : []),
    ...(official && settings.sessions === "single" ? (["sessionsImage"] as const) : []),
    ...(official ? (["gatewayImage"] as const) : []),
    "nodeBase",
  ];
}

export function imageWarnings(settings: ImageSettings): readonly string[] {
  if (settings.vulnerableImages === "ignore") return [];
  return usedImages(settings).flatMap((name) => {
    const image = settings[name as keyof ImageSettings];
    return advisoriesOf(image).map((advisory) => `${name} names ${image}. ${describeAdvisory(advisory)}`);
  });
}
