import { resolve } from "node:path";
import { mustRun, run } from "./process.ts";

const repository = resolve(import.meta.dirname, "../..");
const made = new Map<string, Promise<string>>();

/**
 * The local name of one of the kit's own images (a folder below images/); built when it is absent, once a process.
 * @throws with the last lines of the build when it fails.
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
  const reference = `routeql/${name}:test`;
  const args = ["build", "--network", "host", "-t", reference, "-f", `images/${name}/Dockerfile`];
  if (await exists(nodeStandIn)) args.push("--build-arg", `NODE_BASE=${nodeStandIn}`);
  await mustRun("docker", [...args, "."], { cwd: repository });
  return reference;
}

const nodeStandIn = "routeql/node:24.21.0";

async function exists(reference: string): Promise<boolean> {
  const { code } = await run("docker", ["image", "inspect", reference]);
  return code === 0;
}
