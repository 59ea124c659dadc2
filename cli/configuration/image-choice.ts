/** Chooses images: only a default whose registry is unreachable has a replacement. An operator can fix other registry problems. */
import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type PulledImage, pulledImages } from "@routeql/infra/images";
import type { GivenSettings } from "@routeql/infra/settings/list";
import { imageExists } from "@routeql/host/docker/build";
import { askRegistry, pullFailure } from "@routeql/host/docker/pull";
import type { RegistryProblem } from "@routeql/host/docker/registry";
import type { StackPaths } from "@routeql/host/paths";
import type { StackConfiguration } from "./configuration.ts";

/** Stored in the stack's folder: a stack keeps its images, because its data belongs to the user id of the images that created it. */
export interface ImageChoice {
  /** Values that replace the settings of these names. */
  readonly instead: { readonly engine?: "embedded"; readonly images?: "built" };
  /** Images whose registry could not be reached. */
  readonly missing: readonly string[];
}

const settingOf = {
  engine: "hasuraImage",
  database: "databaseImage",
  sessions: "sessionsImage",
  gateway: "gatewayImage",
  grafana: "grafanaImage",
} as const satisfies Partial<Record<PulledImage["name"], keyof GivenSettings>>;

const isKnown = (name: PulledImage["name"]): name is keyof typeof settingOf => Object.hasOwn(settingOf, name);

export interface ImageProbes {
  /** Why the image is unavailable; undefined when it is on this machine or its registry serves it. */
  readonly problemOf: (imageName: string) => Promise<RegistryProblem | undefined>;
}

const machine: ImageProbes = {
  problemOf: async (imageName) => ((await imageExists(imageName)) ? undefined : askRegistry(imageName)),
};

/** Chooses replacements for images. @param kept of an existing stack @throws {Failure} but for defaults with an unreachable registry */
export async function chooseImages(
  { given, plain }: Pick<StackConfiguration, "given" | "plain">,
  kept: ImageChoice | undefined,
  probes: ImageProbes = machine,
): Promise<ImageChoice> {
  const replaced = new Set<string>(kept?.missing);
  const wanted = pulledImages(plain).filter(({ imageName }) => !replaced.has(imageName));
  const answers = await Promise.all(
    wanted.map(async (image) => ({ image, problem: await probes.problemOf(image.imageName) })),
  );
  const missing = answers.flatMap(({ image, problem }) => (problem === undefined ? [] : [{ image, problem }]));
  const isNamed = ({ name }: PulledImage): boolean =>
    given.imageMirror !== undefined || (isKnown(name) && given[settingOf[name]] !== undefined);
  const fatal = missing.find(
    ({ image, problem }) => problem.kind !== "unreachable" || kept !== undefined || isNamed(image),
  );
  if (fatal !== undefined) throw cannotBeHad(fatal.image, fatal.problem, kept === undefined && !isNamed(fatal.image));
  const isMissing = (...names: PulledImage["name"][]): boolean =>
    missing.some(({ image }) => names.includes(image.name));
  return {
    instead: {
      ...kept?.instead,
      ...(isMissing("engine") ? { engine: "embedded" as const } : {}),
      ...(isMissing("database", "sessions", "gateway") ? { images: "built" as const } : {}),
    },
    missing: [...replaced, ...missing.map(({ image }) => image.imageName)],
  };
}

function cannotBeHad({ name, imageName }: PulledImage, problem: RegistryProblem, hasReplacement: boolean): Error {
  const setting = isKnown(name) ? ` The setting ${settingOf[name]} names the image.` : "";
  const replacement = name === "engine" ? "ENGINE=embedded" : "IMAGES=built";
  const agree = hasReplacement
    ? ` To use this project's own ${name === "engine" ? "engine" : "images"} instead, set ${replacement}.`
    : "";
  return pullFailure(imageName, problem, `${setting}${agree}`);
}

/** The replacement as one sentence; undefined for a stack that runs the images of its settings. */
export function describeReplacement({ instead, missing }: ImageChoice): string | undefined {
  const used = [
    ...(instead.engine === undefined ? [] : ["the embedded engine"]),
    ...(instead.images === undefined ? [] : ["images built from Debian's packages"]),
  ];
  if (used.length === 0) return undefined;
  return `runs on ${used.join(" and ")}, because no registry could be reached for ${missing.join(", ")} when it was created`;
}

/** One line for the run's phases. */
export function describeChoice(choice: ImageChoice, configuration: StackConfiguration): string {
  const replacement = describeReplacement(choice);
  if (replacement !== undefined) return `the stack ${replacement}`;
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

export const forgetChoice = (paths: StackPaths): Promise<void> => rm(fileOf(paths), { force: true });
