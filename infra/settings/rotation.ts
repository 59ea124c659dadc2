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
export function generationProblem(settings: PlainSettings, recorded: unknown): string | undefined {
  const deployed = recordedGenerations(recorded);
  for (const name of names) {
    const before = deployed[name] ?? settings[name];
    const stated = `${name} is ${settings[name]}, but the stack has generation ${before}.`;
    // The former key decrypts nothing that the deployed one encrypted; former passwords and keys are deleted or have expired.
    if (settings[name] < before)
      return `${stated} The secrets of earlier generations are no longer in use. Set it to ${before} to keep the secret, or to ${before + 1} to rotate it.`;
    if (settings[name] > before + 1)
      return `${stated} Raise it by one at a time: each update accepts the secrets of two generations.`;
  }
  return undefined;
}
