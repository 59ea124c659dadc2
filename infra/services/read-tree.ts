import { readFileSync, readdirSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { fileURLToPath } from "node:url";

/**
 * The text files below a folder whose names end with one of `endings`, by path below `under`, sorted.
 * @throws if the folder is missing or holds no such file.
 */
export function readTree(folder: URL, under: string, endings: readonly string[]): Record<string, string> {
  const root = fileURLToPath(folder);
  const paths = readdirSync(root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && endings.some((ending) => entry.name.endsWith(ending)))
    .map((entry) => join(entry.parentPath, entry.name))
    .sort();
  if (paths.length === 0) throw new Error(`There is no file ${endings.map((ending) => `*${ending}`).join(", ")} in ${root}.`);
  return Object.fromEntries(
    paths.map((path) => [`${under}/${relative(root, path).split(sep).join("/")}`, readFileSync(path, "utf8")]),
  );
}
