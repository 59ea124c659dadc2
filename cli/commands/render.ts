import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { RunError } from "@pulumi/pulumi";
import { readText } from "@routeql/contract/written-text";
import type { BaseImages } from "@routeql/infra/images";
import { readDigests, refuseUnpinned } from "@routeql/infra/rendering/digests";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import { stackWarnings } from "@routeql/infra/stack-warnings";
import { type Command, stackArgument } from "../foundation/command.ts";
import { Failure, messageOf } from "@routeql/host/failure";
import { projectFolder, stackPaths } from "@routeql/host/paths";
import { buildRendered } from "../stack/build-rendered.ts";
import { asFailure, readConfiguration } from "../configuration/configuration.ts";

/** Marks a folder that this command wrote. */
const mark = "images.txt";

/** Deletes the files of an earlier run. Every other file stays, and so does every folder that this command did not write. */
async function makeRoom(folder: string): Promise<void> {
  const present = await readdir(folder).catch((): string[] => []);
  if (present.length === 0) return;
  if (!present.includes(mark))
    throw new Failure(`${folder} contains other files`, {
      remedy: "choose an empty folder, or one that this command wrote: --out DIR",
    });
  const ours = present.filter((name) => /^(images\.txt|kustomization\.yaml|\d\d-[a-z-]+\.yaml|namespace)$/.test(name));
  for (const name of ours) await rm(join(folder, name), { recursive: true });
}

async function write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await makeRoom(folder);
  await mkdir(folder, { recursive: true });
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

/** A Failure in place of an error that the user can fix, whose message names the remedy. */
const withoutTrace = (error: unknown): unknown => {
  const known = asFailure(error);
  return known instanceof RunError ? new Failure(known.message, { cause: known }) : known;
};

function digestsIn(file: string): ReadonlyMap<string, string> {
  try {
    return readDigests(readText(file), file);
  } catch (error) {
    if (error instanceof RunError) throw withoutTrace(error);
    throw new Failure(`The list of digests ${file} is not readable: ${messageOf(error)}`, {
      remedy: "name a file with one image as name:tag@sha256:… in each line: docs/operate/kubernetes.md#images",
      cause: error,
    });
  }
}

const basesNote = ({ debianBase, nodeBase }: BaseImages): string =>
  `The tags of this project's images follow from the base images ${debianBase} and ${nodeBase} (DEBIAN_BASE, NODE_BASE).`;

export const command: Command = {
  description: {
    name: "render",
    summary: "Writes a stack's Kubernetes manifests and the list of its images, without a cluster.",
    options: {
      out: { type: "string", value: "DIR", meaning: "output folder (.routeql/<stack>/manifests)" },
      digests: { type: "string", value: "FILE", meaning: "pin each image: lines name:tag@sha256:…" },
      build: { type: "boolean", meaning: "also build this project's images of images.txt with Docker, to push them" },
    },
    notes: [
      "The manifests match the stack's Pulumi program and contain no secret: a job composes the Secrets inside the cluster.",
      "Apply them with kubectl apply -k, Argo CD (sync waves) or Flux.",
      "images.txt lists all images, for a site that mirrors them. Equal settings produce equal files.",
      "Settings come from Pulumi.<stack>.yaml and the environment file; docs/operate/kubernetes.md explains how to apply the result.",
    ],
  },
  run: async (stack, args, signal) => {
    const configuration = await readConfiguration(stack);
    const { given, plain, inFile } = configuration;
    if (plain.target !== "kubernetes") {
      throw new Failure(`The stack ${stack} runs on Docker, which has no manifests`, {
        remedy: `choose a stack for Kubernetes, e.g. npm run render${stackArgument("prod")}, or set target to kubernetes.`,
      });
    }
    const pinned = args.optionalText("digests");
    const digests = pinned === undefined ? undefined : digestsIn(pinned);
    const { files, notes } = await renderStack(stack, given, digests)
      .then((rendered) => {
        if (pinned !== undefined) refuseUnpinned(rendered.images, pinned);
        return rendered;
      })
      .catch((error: unknown) => {
        throw withoutTrace(error);
      });
    if (args.flag("build")) await buildRendered(configuration, signal);
    const folder = resolve(args.optionalText("out") ?? join(stackPaths(stack).folder, "manifests"));
    await write(folder, files);
    const shown = relative(projectFolder, folder);
    console.log(`${files.size} files in ${shown.startsWith("..") ? folder : shown}:`);
    for (const path of files.keys()) console.log(`  ${path}`);
    for (const note of [basesNote(plain), ...notes]) console.log(`\n${note}`);
    for (const warning of stackWarnings(plain, stack, inFile)) console.log(`\nWarning: ${warning}`);
  },
};
