/**
 * The images of a deployment. The name of a built image contains the hash of its content: an unchanged image keeps its name, so its
 * services do not restart. The other images are pulled by name.
 * @module
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { contentHash, contextFiles, copiedSources } from "@routeql/host/docker/build-context";
import type { ImageName } from "./services/description.ts";
import { ownEngineImage } from "./settings/image-settings.ts";
import { settings } from "./settings/list.ts";
import type { PlainSettings } from "./settings/list.ts";

export interface BuiltImage {
  readonly name: ImageName;
  /** `routeql/<name>:<first 12 hexadecimal digits of the hash>` */
  readonly imageName: string;
  /** Absolute path. */
  readonly dockerfile: string;
  /** Absolute path of the build's context, the repository's root. */
  readonly context: string;
  readonly args: Readonly<Record<string, string>>;
}

/** A pulled image. */
export interface PulledImage {
  readonly name: ImageName;
  /** Reference with its tag or digest. */
  readonly imageName: string;
}

/** The base images of the built ones. */
export type BaseImages = Pick<PlainSettings, "debianBase" | "nodeBase">;

/** The settings that select the images. */
export type ImageSettings = BaseImages &
  Pick<
    PlainSettings,
    | "engine"
    | "front"
    | "engineConsole"
    | "hasuraImage"
    | "images"
    | "databaseImage"
    | "sessionsImage"
    | "gatewayImage"
    | "monitoring"
    | "grafanaImage"
  >;

const root = resolve(import.meta.dirname, "..");

const defaults: ImageSettings = {
  debianBase: settings.debianBase.default,
  nodeBase: settings.nodeBase.default,
  engine: settings.engine.default,
  front: settings.front.default,
  engineConsole: settings.engineConsole.default,
  hasuraImage: settings.hasuraImage.default,
  images: settings.images.default,
  databaseImage: settings.databaseImage.default,
  sessionsImage: settings.sessionsImage.default,
  gatewayImage: settings.gatewayImage.default,
  monitoring: settings.monitoring.default,
  grafanaImage: undefined,
};

/** Whether this project's own engine replaces Hasura. */
export const isOwnEngine = ({ hasuraImage }: Pick<ImageSettings, "hasuraImage">): boolean =>
  hasuraImage === ownEngineImage;

/** Whether the front stands between the gateway and Hasura. This project's own engine contains it. */
export const hasFront = (chosen: Pick<ImageSettings, "engine" | "front" | "hasuraImage">): boolean =>
  chosen.engine === "hasura" && chosen.front && !isOwnEngine(chosen);

function describe(name: ImageName, chosen: ImageSettings): BuiltImage {
  // The front is the embedded engine with another executor.
  const dockerfile = join(root, "images", name === "front" ? "engine" : name, "Dockerfile");
  const text = readFileSync(dockerfile, "utf8");
  const possible: Readonly<Record<string, () => string>> = {
    DEBIAN_BASE: () => (name === "gateway" && chosen.images === "official" ? chosen.gatewayImage : chosen.debianBase),
    NODE_BASE: () => chosen.nodeBase,
    HASURA_IMAGE: () => (isOwnEngine(chosen) ? describe("engine", chosen).imageName : chosen.hasuraImage),
  };
  const args = Object.fromEntries(
    Object.entries(possible).flatMap(([key, value]) =>
      new RegExp(`^ARG ${key}\\b`, "m").test(text) ? [[key, value()]] : [],
    ),
  );
  const hash = contentHash({
    texts: {
      Dockerfile: text,
      ...Object.fromEntries(Object.entries(args).map(([key, value]) => [`argument ${key}`, value])),
    },
    files: contextFiles(root, copiedSources(text)),
  });
  return { name, imageName: `routeql/${name}:${hash.slice(0, 12)}`, dockerfile, context: root, args };
}

/** The built images in build order: the slowest first, and each after its base. */
export function builtImages(given: Partial<ImageSettings> = {}): readonly BuiltImage[] {
  const chosen = { ...defaults, ...given };
  const official = chosen.images === "official";
  const hasura = chosen.engine === "hasura";
  const names: readonly ImageName[] = [
    ...(official ? [] : (["database"] as const)),
    "database-tools",
    ...(official ? [] : (["sessions"] as const)),
    "auth-sidecar",
    ...(hasura && !isOwnEngine(chosen) ? [] : (["engine"] as const)),
    ...(hasFront(chosen) ? (["front"] as const) : []),
    ...(official && !chosen.engineConsole ? [] : (["gateway"] as const)),
    ...(hasura ? (["apply-metadata"] as const) : []),
    ...(chosen.monitoring === "off" ? [] : (["monitoring"] as const)),
  ];
  return names.map((name) => describe(name, chosen));
}

/** The images pulled from a registry. */
export function pulledImages(given: Partial<ImageSettings> = {}): readonly PulledImage[] {
  const chosen = { ...defaults, ...given };
  const official: readonly PulledImage[] = [
    { name: "database", imageName: chosen.databaseImage },
    { name: "sessions", imageName: chosen.sessionsImage },
    // With the console, an image based on this one is built.
    ...(chosen.engineConsole ? [] : [{ name: "gateway", imageName: chosen.gatewayImage } as const]),
  ];
  return [
    ...(chosen.images === "official" ? official : []),
    ...(chosen.engine === "hasura" && !isOwnEngine(chosen)
      ? [{ name: "engine", imageName: chosen.hasuraImage } satisfies PulledImage]
      : []),
    ...(chosen.monitoring === "stack" && chosen.grafanaImage !== undefined
      ? [{ name: "grafana", imageName: chosen.grafanaImage } satisfies PulledImage]
      : []),
  ];
}
