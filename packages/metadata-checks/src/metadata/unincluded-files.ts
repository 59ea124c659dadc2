import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";

const include = /["']?!include\s+([^"'\s]+)["']?/g;

function reached(file: string, seen: Set<string>): void {
  if (seen.has(file) || statSync(file, { throwIfNoEntry: false })?.isFile() !== true) return;
  seen.add(file);
  for (const [, target] of readFileSync(file, "utf8").matchAll(include))
    if (target !== undefined) reached(resolve(dirname(file), target), seen);
}

/** YAML files below `databases/` that no `!include` names, relative to the metadata directory. */
export function unincludedFiles(directory: string): readonly string[] {
  const root = resolve(directory);
  const start = join(root, "databases/databases.yaml");
  const seen = new Set<string>();
  reached(start, seen);
  if (seen.size === 0) return [];
  return readdirSync(join(root, "databases"), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.ya?ml$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !seen.has(file))
    .map((file) =>
      file
        .slice(root.length + 1)
        .split(sep)
        .join("/"),
    )
    .toSorted();
}
