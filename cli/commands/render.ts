import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { renderStack } from "@routeql/infra/rendering/render-stack";
import type { Command } from "../foundation/command.ts";
import { Failure } from "@routeql/host/failure";
import { projectFolder, stackPaths } from "@routeql/host/paths";
import { readConfiguration } from "../stack/configuration.ts";
import { runInterruptibly, stackArgument } from "./options.ts";

/** Tells a folder that this command wrote from any other. */
const mark = "images.txt";

/** Removes what an earlier run wrote; anything else is left alone, and so is a folder that is not this command's. */
async function makeRoom(folder: string): Promise<void> {
  const present = await readdir(folder).catch((): string[] => []);
  if (present.length === 0) return;
  if (!present.includes(mark))
    throw new Failure(`${folder} holds other files`, { remedy: "name an empty folder, or one that this command wrote: --out DIR" });
  const ours = present.filter((name) => name === mark || name === "secrets" || /^\d\d-[a-z-]+\.yaml$/.test(name));
  for (const name of ours) await rm(join(folder, name), { recursive: true });
}

async function write(folder: string, files: ReadonlyMap<string, string>): Promise<void> {
  await makeRoom(folder);
  for (const [path, content] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), content);
  }
}

export const command: Command = {
  description: {
    name: "render",
    summary: "Writes a stack's Kubernetes manifests and the list of its images, without a cluster.",
    options: { out: { type: "string", value: "DIR", meaning: "where to (.routeql/<stack>/manifests)" } },
    notes: [
      "The manifests are what the stack's Pulumi program asks for, with placeholders for secrets in a folder of their own.",
      "images.txt has every image they run, for a site that mirrors them. The same settings give the same files.",
      "Settings come from Pulumi.<stack>.yaml and the environment file; docs/operate/kubernetes.md tells how to apply the result.",
    ],
  },
  run: (stack, args) =>
    runInterruptibly(async () => {
      const { given, plain } = await readConfiguration(stack);
      if (plain.target !== "kubernetes") {
        throw new Failure(`The stack ${stack} runs on Docker, which has no manifests`, {
          remedy: `take a stack for Kubernetes, e.g. npm run render${stackArgument("prod")}, or set target to kubernetes.`,
        });
      }
      const { files, notes } = await renderStack(stack, given);
      const folder = resolve(args.optionalText("out") ?? join(stackPaths(stack).folder, "manifests"));
      await write(folder, files);
      const shown = relative(projectFolder, folder);
      console.log(`${files.size} files in ${shown.startsWith("..") ? folder : shown}:`);
      for (const path of files.keys()) console.log(`  ${path}`);
      for (const note of notes) console.log(`\n${note}`);
      return 0;
    }),
};
