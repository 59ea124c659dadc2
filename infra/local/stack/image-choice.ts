/**
 * Whether a stack gets the images that its settings name. They come from registries; where those do not answer, parts of this
 * project's own stand in: the embedded engine for Hasura, images built from Debian's packages for the official ones.
 * @module
 */
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PulledImage, pulledImages } from "../../images.ts";
import type { GivenSettings } from "../../settings/list.ts";
import { imageExists } from "../docker/build.ts";
import { registryServes } from "../docker/pull.ts";
import { Failure } from "../foundation/failure.ts";
import type { StackPaths } from "../foundation/paths.ts";
import { projectName, type StackConfiguration } from "./configuration.ts";

/** Kept in the stack's folder: a stack stays with what it began with, since data belong to the user of the images that made them. */
export interface ImageChoice {
  /** What takes the place of the settings of these names. */
  readonly instead: { readonly engine?: "embedded"; readonly images?: "built" };
  /** The images that could not be had when the choice was made. */
  readonly missing: readonly string[];
}

const settingOf = {
  engine: "hasuraImage",
  database: "databaseImage",
  sessions: "sessionsImage",
  gateway: "gatewayImage",
} as const satisfies Partial<Record<PulledImage["name"], keyof GivenSettings>>;

const isKnown = (name: PulledImage["name"]): name is keyof typeof settingOf => Object.hasOwn(settingOf, name);

export interface ImageProbes {
  /** Whether the image is on this machine, or its registry serves it. */
  readonly canBeHad: (imageName: string) => Promise<boolean>;
}

const machine: ImageProbes = {
  canBeHad: async (imageName) => (await imageExists(imageName)) || registryServes(imageName),
};

/**
 * Decides what stands in for images that cannot be had. Only the project's own choice of images has stand-ins.
 * @param kept what this stack was made with, if it was made
 * @throws Failure for an image that somebody named, and for one that the stack was made with
 */
export async function chooseImages(
  { given, plain }: Pick<StackConfiguration, "given" | "plain">,
  kept: ImageChoice | undefined,
  probes: ImageProbes = machine,
): Promise<ImageChoice> {
  const stoodIn = new Set<string>(kept?.missing);
  const wanted = pulledImages(plain).filter(({ imageName }) => !stoodIn.has(imageName));
  const answers = await Promise.all(wanted.map(async (image) => ({ image, had: await probes.canBeHad(image.imageName) })));
  const missing = answers.filter(({ had }) => !had).map(({ image }) => image);
  const named = missing.filter(({ name }) => isKnown(name) && given[settingOf[name]] !== undefined);
  const [first] = named.length > 0 || kept === undefined ? named : missing;
  if (first !== undefined) throw cannotBeHad(first);
  const isInstead = (...names: PulledImage["name"][]): boolean => missing.some(({ name }) => names.includes(name));
  return {
    instead: {
      ...kept?.instead,
      ...(isInstead("engine") ? { engine: "embedded" as const } : {}),
      ...(isInstead("database", "sessions", "gateway") ? { images: "built" as const } : {}),
    },
    missing: [...stoodIn, ...missing.map(({ imageName }) => imageName)],
  };
}

function cannotBeHad({ name, imageName }: PulledImage): Failure {
  return new Failure(`The image ${imageName} is not on this machine and its registry does not answer`, {
    remedy: `check the name${isKnown(name) ? ` in ${settingOf[name]}` : ""}, load the image (docker load), or let the Docker engine reach the registry.`,
  });
}

/** The configuration with the choice made; the program is told by the stack's configuration. */
export function withChoice(configuration: StackConfiguration, { instead }: ImageChoice): StackConfiguration {
  const entries = Object.fromEntries(Object.entries(instead).map(([name, value]) => [`${projectName}:${name}`, value]));
  return {
    entries: { ...configuration.entries, ...entries },
    given: { ...configuration.given, ...instead },
    plain: { ...configuration.plain, ...instead },
  };
}

/** In words, for the person at the terminal. */
export function describeChoice({ instead, missing }: ImageChoice, configuration: StackConfiguration): string {
  const used = [
    ...(instead.engine === undefined ? [] : ["the embedded engine"]),
    ...(instead.images === undefined ? [] : ["images built here"]),
  ];
  if (used.length > 0) return `${missing.join(", ")} cannot be had here; instead ${used.join(" and ")}, for the life of this stack`;
  const pulled = pulledImages(configuration.plain).map(({ imageName }) => imageName);
  return pulled.length === 0 ? "all built here" : pulled.join(", ");
}

const fileOf = (paths: StackPaths): string => join(paths.folder, "images.json");

export async function readChoice(paths: StackPaths): Promise<ImageChoice | undefined> {
  const text = await readFile(fileOf(paths), "utf8").catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as ImageChoice);
}

export async function keepChoice(paths: StackPaths, choice: ImageChoice): Promise<void> {
  await mkdir(dirname(fileOf(paths)), { recursive: true });
  await writeFile(fileOf(paths), `${JSON.stringify(choice)}\n`, { mode: 0o600 });
}
