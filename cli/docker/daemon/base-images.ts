import type { Work } from "@routeql/host/work";
import { pins } from "@routeql/pins/pins";
import type { BaseImages } from "@routeql/infra/images";
import { imageExists } from "@routeql/host/docker/build";
import { offline } from "../../offline.ts";
import { askRegistry, pullFailure, pullImage } from "@routeql/host/docker/pull";

export interface ChosenBases extends BaseImages {
  readonly origin: string;
}

const officialDebian = pins.debian.image;

/** Provides the base images that the settings name, pulled if missing. Only the two defaults have a replacement in offline/. */
export async function ensureBases(named: BaseImages, nodeIsDefault: boolean, options: Work): Promise<ChosenBases> {
  const origins: string[] = [];
  if (!(await imageExists(named.debianBase))) origins.push(await bringDebian(named.debianBase, options));
  options.signal.throwIfAborted();
  let { nodeBase } = named;
  const known = await offline();
  // A base that is named explicitly stays; this machine can build one of them.
  const replacements = nodeIsDefault || nodeBase === known?.nodeImage ? known : undefined;
  if (!(await imageExists(nodeBase))) {
    // An earlier choice stays: another base image would rebuild every image.
    if (replacements && (await imageExists(replacements.nodeImage))) nodeBase = replacements.nodeImage;
    else if (await pulled(nodeBase, "NODE_BASE", replacements !== undefined, options))
      origins.push(`${nodeBase} pulled`);
    else {
      nodeBase = replacements!.nodeImage;
      options.say(`building ${nodeBase}`);
      await replacements!.buildNodeImage(named.debianBase, options);
      origins.push(`${nodeBase} built from this machine's Node`);
    }
  }
  const origin = origins.join("; ") || `${named.debianBase}, ${nodeBase} present`;
  return { debianBase: named.debianBase, nodeBase, origin };
}

/** Pulls a base image; false when its registry is unreachable and a replacement exists. @throws {Failure} for other registry problems */
async function pulled(name: string, setting: string, hasReplacement: boolean, options: Work): Promise<boolean> {
  const problem = await askRegistry(name);
  if (problem === undefined) {
    await pullImage(name, options);
    return true;
  }
  if (problem.kind === "unreachable" && hasReplacement) return false;
  throw pullFailure(name, problem, ` The setting ${setting} names the image.`);
}

async function bringDebian(name: string, options: Work): Promise<string> {
  const replacements = name === officialDebian ? await offline() : undefined;
  if (await pulled(name, "DEBIAN_BASE", replacements !== undefined, options)) return `${name} pulled`;
  await replacements!.buildDebianImage(name, options);
  return `${name} built from Debian's packages`;
}
