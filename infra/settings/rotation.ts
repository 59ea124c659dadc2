import type { PlainSettings } from "./list.ts";
import { rotationSettings } from "./declared/rotation.ts";

export type GenerationName = Extract<keyof typeof rotationSettings, `${string}Generation`>;
const names = Object.keys(rotationSettings).filter((name) => name.endsWith("Generation")) as readonly GenerationName[];
export type Generations = Readonly<Record<GenerationName, number>>;

export const generationsOf = (settings: PlainSettings): Generations =>
  Object.fromEntries(names.map((name) => [name, settings[name]])) as Generations;

/** The generations of the last successful update. Earlier versions recorded none; they knew only that of the key encryption key. */
export const recordedGenerations = (output: unknown): Partial<Generations> =>
  typeof output === "object" && output !== null ? output : {};

/** The problem of a generation that no service would accept with the deployed one. @param recorded output of the last update */
export function skippedGeneration(settings: PlainSettings, recorded: unknown): string | undefined {
  const before = recordedGenerations(recorded);
  const name = names.find((each) => Math.abs(settings[each] - (before[each] ?? settings[each])) > 1);
  if (name === undefined) return undefined;
  return `${name} is ${settings[name]}, but the stack has generation ${before[name]}. Change it by one at a time: each update accepts the secrets of two generations.`;
}
