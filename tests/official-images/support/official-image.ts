/** Images from Debian's packages in the shape of the official ones. */
import { join, resolve } from "node:path";
import { pins } from "@routeql/pins/pins";
import { image } from "../../harness/containers/image.ts";
import { mustRun } from "../../harness/process.ts";

export type OfficialImage = "postgres" | "valkey" | "nginx" | "hasura";

const folder = resolve(import.meta.dirname, "..");

/** Name on this machine. The tag names Debian instead of a program's version; Hasura's also names the engine inside. */
export async function nameOf(official: OfficialImage): Promise<string> {
  const engine = official === "hasura" ? `-${(await image("engine")).split(":")[1]}` : "";
  return `routeql-test/official-${official}:debian13${engine}`;
}

/** Builds the image; Docker's build cache makes a second build short. */
export async function build(official: OfficialImage): Promise<string> {
  const name = await nameOf(official);
  const engine = official === "hasura" ? ["--build-arg", `ENGINE_IMAGE=${await image("engine")}`] : [];
  const base = ["--build-arg", `DEBIAN_BASE=${pins.debian.image}`];
  await mustRun("docker", ["build", "--network", "host", "--tag", name, ...base, ...engine, join(folder, official)]);
  return name;
}
