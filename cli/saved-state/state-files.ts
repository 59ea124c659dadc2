/** The files of a saved state, unpacked without trust in the names and kinds of the archive's entries. */
import { constants, createReadStream } from "node:fs";
import { copyFile, lstat, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { extract, type Header } from "tar-stream";
import { Failure } from "@routeql/host/failure";

/** Files in the folder of a stack that later commands read, beside Pulumi's folder `state`. */
const ofStack = [
  "access.env",
  "ca.pem",
  "cluster.json",
  "identity.json",
  "images.json",
  "network-range",
  "passphrase",
  "plugins.json",
  "shown-password",
];

/** Names of a saved state, below the folder of the project. */
export const stateFiles = (stack: string): readonly string[] => [
  ...["state", ...ofStack].map((name) => `.routeql/${stack}/${name}`),
  `Pulumi.${stack}.yaml`,
  `.env.${stack}`,
  ".env",
];

/** Of archives of earlier versions; commands make these files again. */
const isLeftOut = (stack: string, name: string): boolean =>
  ["backups/", "manifests/", "prometheus.yml"].some((each) => name.startsWith(`.routeql/${stack}/${each}`));

function isAllowed(stack: string, name: string): boolean {
  const state = `.routeql/${stack}/state/`;
  if (!name.startsWith(state)) return stateFiles(stack).includes(name);
  const parts = name.slice(state.length).split("/");
  return parts.every((part) => /^[\w.-]+$/.test(part) && part !== "." && part !== "..");
}

/** Whether a directory entry is one above an allowed file. The files' own folders are made from their names. */
const isFolder = (stack: string, name: string): boolean => {
  const path = name.replace(/\/$/, "");
  return path === `.routeql/${stack}` || path === `.routeql/${stack}/state` || isAllowed(stack, path);
};

async function* entriesOf(archive: string): AsyncIterable<Readable & { readonly header: Header }> {
  const reader = extract();
  pipeline(createReadStream(archive), createGunzip(), reader).catch((error: Error) => reader.destroy(error));
  yield* reader as AsyncIterable<unknown> as AsyncIterable<Readable & { readonly header: Header }>;
}

/** Unpacks regular files with allowed names. @param folder empty and private @returns their names @throws Failure for any other entry */
export async function unpackInto(folder: string, archive: string, stack: string): Promise<string[]> {
  const names = new Set<string>();
  for await (const entry of entriesOf(archive)) {
    const { name, type } = entry.header;
    if ((type === "directory" && isFolder(stack, name)) || isLeftOut(stack, name)) {
      entry.resume();
      continue;
    }
    if (type !== "file" || !isAllowed(stack, name) || names.has(name))
      throw new Failure(
        `The saved state has the entry ${JSON.stringify(name)} (${type}), which no state of ${stack} has`,
        {
          remedy: `nothing was written. Choose a file that \`npm run backup -- --recipient\` wrote for the stack ${stack}.`,
        },
      );
    names.add(name);
    await mkdir(dirname(join(folder, name)), { recursive: true, mode: 0o700 });
    await writeFile(join(folder, name), await buffer(entry), { flag: "wx", mode: 0o600 });
  }
  return [...names];
}

const sameFile = async (one: string, other: string): Promise<boolean> =>
  (await lstat(one)).isFile() && (await readFile(one)).equals(await readFile(other));

/** Copies unpacked files into the project. @throws Failure when another one exists there already, before the first copy */
export async function moveInto(project: string, folder: string, names: readonly string[]): Promise<void> {
  const found: string[] = [];
  const copied: string[] = [];
  for (const name of names) {
    if (!(await lstat(join(project, name)).then(Boolean, () => false))) copied.push(name);
    // A checkout has the tracked settings of some stacks.
    else if (!(await sameFile(join(project, name), join(folder, name)))) found.push(name);
  }
  if (found.length > 0)
    throw new Failure(`This checkout already has ${found.join(", ")}`, {
      remedy: "nothing was written. Move these files away, then run the restore again.",
    });
  for (const name of copied) {
    await mkdir(dirname(join(project, name)), { recursive: true, mode: 0o700 });
    await copyFile(join(folder, name), join(project, name), constants.COPYFILE_EXCL);
  }
}
