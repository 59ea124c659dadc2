/**
 * The images built here, each named by the hash of everything that goes in: an unchanged image keeps its name, so its services
 * are left alone.
 * @module
 */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { copiedSources } from "./images/dockerfile.ts";
import { contentHash } from "./images/content-hash.ts";
import { contextFiles } from "./images/context-files.ts";
import type { ImageName } from "./services/description.ts";
import { settings } from "./settings/list.ts";

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

/** The images that the others start from. */
export interface BaseImages {
  readonly debianBase: string;
  readonly nodeBase: string;
}

const root = resolve(import.meta.dirname, "..");
const names: readonly ImageName[] = ["database", "database-tools", "sessions", "auth-sidecar", "engine", "gateway"];

const officialBases: BaseImages = { debianBase: settings.debianBase.default, nodeBase: settings.nodeBase.default };

function describe(name: ImageName, bases: BaseImages): BuiltImage {
  const dockerfile = join(root, "images", name, "Dockerfile");
  const text = readFileSync(dockerfile, "utf8");
  const args: Record<string, string> = { DEBIAN_BASE: bases.debianBase };
  if (/^ARG NODE_BASE\b/m.test(text)) args["NODE_BASE"] = bases.nodeBase;
  const hash = contentHash({
    texts: { Dockerfile: text, ...Object.fromEntries(Object.entries(args).map(([key, value]) => [`argument ${key}`, value])) },
    files: contextFiles(root, copiedSources(text)),
  });
  return { name, imageName: `routeql/${name}:${hash.slice(0, 12)}`, dockerfile, context: root, args };
}

/** All images, in the order in which they are best built: the slowest first. */
export function builtImages(bases: BaseImages = officialBases): readonly BuiltImage[] {
  return names.map((name) => describe(name, bases));
}
