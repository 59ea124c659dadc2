/** Images of a list that `npm run render` wrote: `up --images FILE` builds exactly these, or changes nothing. */
import { readText } from "@routeql/contract/written-text";
import { builtImages, pulledImages } from "@routeql/infra/images";
import type { PlainSettings } from "@routeql/infra/settings/list";
import { Failure, messageOf } from "@routeql/host/failure";
import { type Phase, phase, type Ready } from "../foundation/phases.ts";
import { offline } from "../offline.ts";
import { type StackConfiguration, withSettings } from "../configuration/configuration.ts";

/** References of all images of a stack on Kubernetes that this machine can name: without a CloudNativePG database's. */
export function referencesOf(plain: PlainSettings): readonly string[] {
  const { imageRegistry } = plain;
  const own = builtImages(plain).map(({ imageName }) =>
    imageRegistry === undefined ? imageName : `${imageRegistry}/${imageName}`,
  );
  return [...own, ...pulledImages(plain).map(({ imageName }) => imageName)];
}

/** The references of a list, with and without digests: a setting may name its own. */
export const listedIn = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split("\n")
      .map((line) => line.trim())
      .flatMap((line) => (line === "" ? [] : [line, line.replace(/@sha256:[0-9a-f]{64}$/, "")])),
  );

/** The Node base with which every image of the stack is in the list. @throws Failure that names the others */
export function baseOfList(
  plain: PlainSettings,
  listed: ReadonlySet<string>,
  { bases, file }: { readonly bases: readonly string[]; readonly file: string },
): string {
  const missing = bases.map((nodeBase) => referencesOf({ ...plain, nodeBase }).filter((image) => !listed.has(image)));
  const found = bases[missing.findIndex((images) => images.length === 0)];
  if (found !== undefined) return found;
  const fewest = missing.toSorted((one, other) => one.length - other.length)[0]!;
  throw new Failure(`${file} does not list ${fewest.join(", ")}`, {
    remedy: "render the manifests again from this commit, with the same settings and base images (npm run render).",
  });
}

function readList(file: string): ReadonlySet<string> {
  try {
    return listedIn(readText(file));
  } catch (error) {
    throw new Failure(`The list of images ${file} is not readable: ${messageOf(error)}`, {
      remedy: "name the images.txt that npm run render wrote.",
      cause: error,
    });
  }
}

/** The configuration whose images are those of the list. */
export const listPhase = (before: () => StackConfiguration, file: string): Phase & Ready<StackConfiguration> =>
  phase("List of images", async () => {
    const configuration = before();
    const { given, plain } = configuration;
    const replacement = given.nodeBase === undefined ? (await offline())?.nodeImage : undefined;
    const bases = [plain.nodeBase, ...(replacement === undefined ? [] : [replacement])];
    const nodeBase = baseOfList(plain, readList(file), { bases, file });
    return [withSettings(configuration, { nodeBase }), `${file}, with the base ${nodeBase}`];
  });
