import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join, relative, resolve } from "node:path";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import { type Command, stackArgument } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { projectFolder, stackPaths } from "@routeql/host/paths";
import { readConfiguration } from "../stack/configuration.ts";

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
  const ours = present.filter((name) => /^(images\.txt|kustomization\.yaml|\d\d-[a-z-]+\.yaml)$/.test(name));
  for (const name of ours) await rm(join(folder, name));
}

async function write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await makeRoom(folder);
  await mkdir(folder, { recursive: true });
  for (const [path, content] of files) await writeFile(join(folder, path), content);
}

export const command: Command = {
  description: {
    name: "render",
    summary: "Writes a stack's Kubernetes manifests and the list of its images, without a cluster.",
    options: { out: { type: "string", value: "DIR", meaning: "output folder (.routeql/<stack>/manifests)" } },
    notes: [
      "The manifests match the stack's Pulumi program and contain no secret: a job composes the Secrets inside the cluster.",
      "Apply them with kubectl apply -k, Argo CD (sync waves) or Flux.",
      "images.txt lists all images, for a site that mirrors them. Equal settings produce equal files.",
      "Settings come from Pulumi.<stack>.yaml and the environment file; docs/operate/kubernetes.md explains how to apply the result.",
    ],
  },
  run: async (stack, args) => {
    const { given, plain } = await readConfiguration(stack);
    if (plain.target !== "kubernetes") {
      throw new Failure(`The stack ${stack} runs on Docker, which has no manifests`, {
        remedy: `choose a stack for Kubernetes, e.g. npm run render${stackArgument("prod")}, or set target to kubernetes.`,
      });
    }
    const { files, notes } = await renderStack(stack, given);
    const folder = resolve(args.optionalText("out") ?? join(stackPaths(stack).folder, "manifests"));
    await write(folder, files);
    const shown = relative(projectFolder, folder);
    console.log(`${files.size} files in ${shown.startsWith("..") ? folder : shown}:`);
    for (const path of files.keys()) console.log(`  ${path}`);
    for (const note of notes) console.log(`\n${note}`);
  },
};
