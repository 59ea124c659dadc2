/** The images of a deployment. The name of a built image contains the hash of its content, so unchanged services do not restart. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Input } from "@pulumi/pulumi";
import { contentHash, contextFiles, copiedSources } from "@routeql/host/docker/build-context";
import { derive } from "./inputs.ts";
import type { ImageName } from "./description/service.ts";
import { ownEngineImage } from "./settings/declared/images.ts";
import { settings } from "./settings/list.ts";
import type { PlainSettings, Settings } from "./settings/list.ts";

/** `Reference` is `Input<string>` where a setting may be an output of another resource. */
export interface BuiltImage<Reference = string> {
  readonly name: ImageName;
  /** `routeql/<name>:<first 12 hexadecimal digits of the hash>` */
  readonly imageName: Reference;
  /** Absolute path. */
  readonly dockerfile: string;
  /** Absolute path of the build's context, the repository's root. */
  readonly context: string;
  readonly args: Readonly<Record<string, Reference>>;
}

export interface PulledImage<Reference = string> {
  readonly name: ImageName;
  /** Reference with its tag or digest. */
  readonly imageName: Reference;
}

export type BaseImages = Pick<PlainSettings, "debianBase" | "nodeBase">;

type ReferenceName = "hasuraImage" | "databaseImage" | "sessionsImage" | "gatewayImage" | "debianBase" | "nodeBase";

export type ImageSettings<Reference = string> = Pick<
  Settings,
  "engine" | "front" | "engineConsole" | "images" | "feed" | "monitoring"
> &
  Readonly<Record<ReferenceName, Reference>> & { readonly grafanaImage?: Reference | undefined };

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
  feed: settings.feed.default,
  monitoring: settings.monitoring.default,
  grafanaImage: undefined,
};

export const isOwnEngine = ({ hasuraImage }: Pick<Settings, "hasuraImage">): boolean => hasuraImage === ownEngineImage;

/** Whether the front stands between the gateway and Hasura. This project's own engine contains it. */
export const hasFront = (chosen: Pick<Settings, "engine" | "front" | "hasuraImage">): boolean =>
  chosen.engine === "hasura" && chosen.front && !isOwnEngine(chosen);

function describe(name: ImageName, chosen: ImageSettings<Input<string>>): BuiltImage<Input<string>> {
  // The front is the embedded engine with another executor.
  const dockerfile = join(root, "images", name === "front" ? "engine" : name, "Dockerfile");
  const text = readFileSync(dockerfile, "utf8");
  const possible: Readonly<Record<string, () => Input<string>>> = {
    DEBIAN_BASE: () => (name === "gateway" && chosen.images === "official" ? chosen.gatewayImage : chosen.debianBase),
    NODE_BASE: () => chosen.nodeBase,
    HASURA_IMAGE: () => (isOwnEngine(chosen) ? describe("engine", chosen).imageName : chosen.hasuraImage),
  };
  const args = Object.fromEntries(
    Object.entries(possible).flatMap(([key, value]) =>
      new RegExp(`^ARG ${key}\\b`, "m").test(text) ? [[key, value()]] : [],
    ),
  );
  const files = contextFiles(root, copiedSources(text));
  const imageName = derive(args, (known) => {
    const values = Object.entries(known).map(([key, value]) => [`argument ${key}`, value]);
    const hash = contentHash({ texts: { Dockerfile: text, ...(Object.fromEntries(values) as typeof known) }, files });
    return `routeql/${name}:${hash.slice(0, 12)}`;
  });
  return { name, imageName, dockerfile, context: root, args };
}

/** The built images in build order: the slowest first, and each after its base. */
export function builtImages<Reference extends Input<string> = string>(
  given: Partial<ImageSettings<Reference>> = {},
): readonly BuiltImage<Reference>[] {
  const chosen = { ...defaults, ...given } as ImageSettings<Input<string>>;
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
    ...(chosen.feed === "off" ? [] : (["feed"] as const)),
    ...(chosen.monitoring === "off" ? [] : (["monitoring"] as const)),
  ];
  return names.map((name) => describe(name, chosen) as BuiltImage<Reference>);
}

export function pulledImages<Reference extends Input<string> = string>(
  given: Partial<ImageSettings<Reference>> = {},
): readonly PulledImage<Reference>[] {
  const chosen = { ...defaults, ...given } as ImageSettings<Reference>;
  const official: readonly PulledImage<Reference>[] = [
    { name: "database", imageName: chosen.databaseImage },
    { name: "sessions", imageName: chosen.sessionsImage },
    // With the console, an image based on this one is built.
    ...(chosen.engineConsole ? [] : [{ name: "gateway", imageName: chosen.gatewayImage } as const]),
  ];
  return [
    ...(chosen.images === "official" ? official : []),
    ...(chosen.engine === "hasura" && !isOwnEngine(chosen)
      ? [{ name: "engine", imageName: chosen.hasuraImage } satisfies PulledImage<Reference>]
      : []),
    ...(chosen.monitoring === "stack" && chosen.grafanaImage !== undefined
      ? [{ name: "grafana", imageName: chosen.grafanaImage } satisfies PulledImage<Reference>]
      : []),
  ];
}
