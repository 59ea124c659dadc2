import type Docker from "dockerode";
import { spawn } from "node:child_process";
import type { BaseImages } from "../../images.ts";
import { findProgram, installPackages } from "../foundation/apt.ts";
import { Failure, messageOf } from "../foundation/failure.ts";
import { lineSplitter } from "../foundation/process.ts";
import { imageExists } from "./build.ts";
import { dockerClient } from "./client.ts";
import { follow } from "./follow.ts";
import { buildNodeBase } from "./node-base.ts";
import { pullImage, registryServes } from "./pull.ts";

export interface BaseOptions {
  readonly say: (text: string) => void;
  readonly show: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The base images a stack is built on, and where they came from, in words. */
export interface ChosenBases extends BaseImages {
  readonly origin: string;
}

const officialDebian = "debian:trixie-slim";
/** The stand-in for the official Node image, made from this machine's own Node. */
const standInNode = "routeql/node:24.21.0";

/**
 * Sees to the base images that the settings name. An image that is here is taken as it is. One that is not is pulled; only the
 * project's own
 * two defaults have a replacement where no registry answers: Debian from its packages, and Node from this machine.
 * @param named the images as set; `nodeIsDefault` when the setting was left alone
 */
export async function ensureBases(named: BaseImages, nodeIsDefault: boolean, options: BaseOptions): Promise<ChosenBases> {
  const origins: string[] = [];
  if (!(await imageExists(named.debianBase))) origins.push(await bringDebian(named.debianBase, options));
  options.signal.throwIfAborted();
  let { nodeBase } = named;
  if (!(await imageExists(nodeBase))) {
    // A choice once made is kept: other base images would build every image anew.
    if (nodeIsDefault && (await imageExists(standInNode))) nodeBase = standInNode;
    else if (await registryServes(nodeBase)) {
      await pullImage(nodeBase, options);
      origins.push(`${nodeBase} pulled`);
    } else if (nodeIsDefault) {
      options.say(`making ${standInNode}`);
      await buildNodeBase(standInNode, named.debianBase, options);
      nodeBase = standInNode;
      origins.push(`${standInNode} made from this machine's Node`);
    } else throw unavailable(nodeBase, "NODE_BASE");
  }
  return { debianBase: named.debianBase, nodeBase, origin: origins.join("; ") || `${named.debianBase}, ${nodeBase} present` };
}

const unavailable = (name: string, setting: string): Failure =>
  new Failure(`The base image ${name} is not on this machine and its registry does not answer`, {
    remedy: `check the name in ${setting}, load the image (docker load), or let the engine reach the registry.`,
  });

async function bringDebian(name: string, options: BaseOptions): Promise<string> {
  if (await registryServes(name)) {
    await pullImage(name, options);
    return `${name} pulled`;
  }
  if (name !== officialDebian) throw unavailable(name, "DEBIAN_BASE");
  if (!(await findProgram("mmdebstrap"))) {
    options.say("installing mmdebstrap");
    await installPackages(
      ["mmdebstrap"],
      options.onLine,
      "makes the base image from Debian's packages, since no registry of images answers",
    );
  }
  options.say(`making ${name} from Debian's packages`);
  await importMinimalDebian(dockerClient(), name, options);
  return `${name} made from Debian's packages`;
}

/** `mmdebstrap … | docker import`: a minimal Debian of this machine's architecture. */
async function importMinimalDebian(docker: Docker, name: string, { onLine, signal }: BaseOptions): Promise<void> {
  const child = spawn("mmdebstrap", ["--variant=minbase", "--include=ca-certificates", "trixie", "-"], {
    stdio: ["ignore", "pipe", "pipe"],
    signal,
    env: { ...process.env, LC_ALL: "C.UTF-8" },
  });
  const lines: string[] = [];
  const splitter = lineSplitter((line) => {
    lines.push(line);
    onLine(line);
  });
  child.stderr.setEncoding("utf8").on("data", splitter.add).on("end", splitter.end);
  const ended = new Promise<void>((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`exit code ${code}`))));
  });
  const [repo = name, tag = "latest"] = name.split(":");
  // A half-made archive would become an image: it gets its name only after mmdebstrap has succeeded.
  const imported = docker.importImage(child.stdout, { changes: ['CMD ["bash"]'] }).then(
    async (answer) => (await follow(answer)).findLast(({ status }) => status?.startsWith("sha256:"))?.status ?? "",
  );
  try {
    const [id] = await Promise.all([imported, ended]);
    await docker.getImage(id).tag({ repo, tag });
  } catch (error) {
    signal.throwIfAborted();
    throw new Failure(`mmdebstrap could not make ${name}: ${messageOf(error)}`, {
      lastLines: lines.slice(-15),
      remedy: "Debian's mirror must be reachable by this machine's apt settings; or load an image (docker load) of that name.",
      cause: error,
    });
  }
}
