import { type BuiltImage, builtImages } from "@routeql/infra/images";
import { settings } from "@routeql/infra/settings/list";
import { mustRun, run } from "../process.ts";

/** Base of the Node images if no registry answers; cli/ builds it. */
const nodeStandIn = "routeql/node:24.21.0";
const made = new Map<string, Promise<string>>();

/**
 * Local name of one of the kit's own images (a folder below images/), the same as in a deployment; builds it if it is absent.
 * @throws with the last lines of the build if it fails
 */
export function image(name: string): Promise<string> {
  let reference = made.get(name);
  if (reference === undefined) {
    reference = build(name);
    made.set(name, reference);
  }
  return reference;
}

async function build(name: string): Promise<string> {
  const nodeBase = (await exists(nodeStandIn)) ? nodeStandIn : settings.nodeBase.default;
  const chosen = { debianBase: settings.debianBase.default, nodeBase, feed: "ris-live" } as const;
  const described = builtImages(chosen).find((built) => built.name === name);
  if (described === undefined) throw new Error(`the kit has no image named ${name}`);
  if (!(await exists(described.imageName))) await mustRun("docker", buildArguments(described));
  return described.imageName;
}

function buildArguments({ imageName, dockerfile, context, args }: BuiltImage): string[] {
  const given = Object.entries(args).flatMap(([key, value]) => ["--build-arg", `${key}=${value}`]);
  return ["build", "--network", "host", "--tag", imageName, "--file", dockerfile, ...given, context];
}

async function exists(reference: string): Promise<boolean> {
  const { code } = await run("docker", ["image", "inspect", reference]);
  return code === 0;
}
