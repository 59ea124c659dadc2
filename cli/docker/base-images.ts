import type Docker from "dockerode";
import { spawn } from "node:child_process";
import { pins } from "@routeql/pins/pins";
import type { BaseImages } from "@routeql/infra/images";
import { findProgram, installPackages } from "@routeql/host/apt";
import { Failure, messageOf } from "@routeql/host/failure";
import { lineSplitter } from "@routeql/host/process";
import { imageExists } from "@routeql/host/docker/build";
import { downloadSites, requireProxies } from "@routeql/host/reachable";
import { dockerClient, follow } from "@routeql/host/docker/client";
import { buildNodeBase } from "@routeql/offline/base-images/node";
import { askRegistry, pullFailure, pullImage } from "@routeql/host/docker/pull";

export interface BaseOptions {
  readonly say: (text: string) => void;
  readonly show: (text: string) => void;
  readonly onLine: (line: string) => void;
  readonly signal: AbortSignal;
}

/** The base images of a stack, and a description of their origin. */
export interface ChosenBases extends BaseImages {
  readonly origin: string;
}

const officialDebian = pins.debian.image;
/** Replacement for the official Node image, built from this machine's Node. */
const standInNode = "routeql/node:24.21.0";

/**
 * Provides the base images that the settings name. A local image is used as it is, and a missing one is pulled. Only the two defaults have
 * a replacement when no registry answers: Debian from its packages, and Node from this machine.
 * @param named the images of the settings; `nodeIsDefault` when the setting has its default
 */
export async function ensureBases(
  named: BaseImages,
  nodeIsDefault: boolean,
  options: BaseOptions,
): Promise<ChosenBases> {
  const origins: string[] = [];
  if (!(await imageExists(named.debianBase))) origins.push(await bringDebian(named.debianBase, options));
  options.signal.throwIfAborted();
  let { nodeBase } = named;
  if (!(await imageExists(nodeBase))) {
    // An earlier choice stays: another base image would rebuild every image.
    if (nodeIsDefault && (await imageExists(standInNode))) nodeBase = standInNode;
    else if (await pulled(nodeBase, "NODE_BASE", nodeIsDefault, options)) origins.push(`${nodeBase} pulled`);
    else {
      options.say(`making ${standInNode}`);
      await buildNodeBase(standInNode, named.debianBase, options);
      nodeBase = standInNode;
      origins.push(`${standInNode} built from this machine's Node`);
    }
  }
  const origin = origins.join("; ") || `${named.debianBase}, ${nodeBase} present`;
  return { debianBase: named.debianBase, nodeBase, origin };
}

/**
 * Pulls a base image. @returns false when its registry cannot be reached and a replacement exists
 * @throws {Failure} for every other problem of the registry
 */
async function pulled(name: string, setting: string, hasReplacement: boolean, options: BaseOptions): Promise<boolean> {
  const problem = await askRegistry(name);
  if (problem === undefined) {
    await pullImage(name, options);
    return true;
  }
  if (problem.kind === "unreachable" && hasReplacement) return false;
  throw pullFailure(name, problem, ` The setting ${setting} names the image.`);
}

async function bringDebian(name: string, options: BaseOptions): Promise<string> {
  if (await pulled(name, "DEBIAN_BASE", name === officialDebian, options)) return `${name} pulled`;
  if (!(await findProgram("mmdebstrap"))) {
    options.say("installing mmdebstrap");
    await installPackages(
      ["mmdebstrap"],
      options.onLine,
      "building the base image from Debian's packages, because no image registry answers",
    );
  }
  options.say(`building ${name} from Debian's packages`);
  await importMinimalDebian(dockerClient(), name, options);
  return `${name} built from Debian's packages`;
}

/** `mmdebstrap … | docker import`: a minimal Debian of this machine's architecture. */
async function importMinimalDebian(docker: Docker, name: string, { onLine, signal }: BaseOptions): Promise<void> {
  await requireProxies(downloadSites.debian);
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
  // An incomplete archive would become an image: it gets its name only after mmdebstrap has succeeded.
  const imported = docker
    .importImage(child.stdout, { changes: ['CMD ["bash"]'] })
    .then(
      async (answer) => (await follow(answer)).findLast(({ status }) => status?.startsWith("sha256:"))?.status ?? "",
    );
  try {
    const [id] = await Promise.all([imported, ended]);
    await docker.getImage(id).tag({ repo, tag });
  } catch (error) {
    signal.throwIfAborted();
    throw new Failure(`mmdebstrap failed to build ${name}: ${messageOf(error)}`, {
      lastLines: lines.slice(-15),
      remedy:
        "check that the apt settings of this machine reach a Debian mirror; or load an image of that name (docker load).",
      cause: error,
    });
  }
}
