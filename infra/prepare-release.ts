/** Prepares a release for .github/workflows/release.yml: writes packages and notes to FOLDER and prints the images as JSON. */
import { execFileSync } from "node:child_process";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { buildFile, buildNumber } from "./build-number.ts";
import { builtImages } from "./images.ts";
import { packComponent } from "./pack.ts";

const root = resolve(import.meta.dirname, "..");
const read = (path: string): string => readFileSync(join(root, path), "utf8");

/** The section of a version in a changelog. @throws if it has none */
export function notesOf(changelog: string, version: string): string {
  const section = changelog.split(/^## /m).find((text) => text.split("\n")[0]?.split(" ")[0] === version);
  if (section === undefined) throw new Error(`CHANGELOG.md has no section "## ${version}". Rename "## Unreleased".`);
  return section.slice(section.indexOf("\n")).trim();
}

/** @throws if a package has another version than the tag */
export function checkVersions(version: string): void {
  const other = globSync("{*,packages/*}/package.json", { cwd: root }).filter(
    (path) => (JSON.parse(read(path)) as { version: string }).version !== version,
  );
  if (other.length > 0)
    throw new Error(`The tag is v${version}, but these packages have another version: ${other.sort().join(", ")}.`);
}

/** Both targets' images, each once, with the arguments of their build. */
export function imagesToBuild() {
  const chosen = [{}, { engine: "hasura", front: true, monitoring: "stack", feed: "ris-live" }] as const;
  const images = new Map(chosen.flatMap((choice) => builtImages(choice)).map((image) => [image.imageName, image]));
  return [...images.values()].map(({ name, imageName, dockerfile, args }) => ({
    name,
    content: imageName,
    dockerfile: relative(root, dockerfile),
    arguments: Object.entries(args)
      .map(([key, value]) => `${key}=${value}`)
      .join("\n"),
  }));
}

/** Writes the sources with their build number, which an archive cannot find by itself. @throws if the checkout has no history */
export function archiveSources(version: string, folder: string): void {
  const build = buildNumber();
  if (build === undefined) throw new Error("The checkout has no history. Fetch all commits (fetch-depth: 0).");
  const name = `routeql-${version}`;
  const file = `--add-virtual-file=${name}/${buildFile}:${JSON.stringify({ build })}`;
  const output = join(resolve(folder), `${name}-source.tgz`);
  execFileSync("git", ["archive", "--format=tar.gz", `--prefix=${name}/`, file, `--output=${output}`, "HEAD"], {
    cwd: root,
  });
}

if (import.meta.main) {
  const [tag = "", folder = ""] = process.argv.slice(2);
  const version = /^v(\d+\.\d+\.\d+)$/.exec(tag)?.[1];
  if (version === undefined || folder === "") throw new Error("Usage: node infra/prepare-release.ts v1.2.3 FOLDER");
  checkVersions(version);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "notes.md"), `${notesOf(read("CHANGELOG.md"), version)}\n`);
  archiveSources(version, folder);
  await packComponent(folder);
  execFileSync("npm", ["pack", "--pack-destination", resolve(folder), "-w", "hasura-checks"], {
    cwd: root,
    stdio: ["ignore", "ignore", "inherit"],
  });
  console.log(`images=${JSON.stringify(imagesToBuild())}`);
}
