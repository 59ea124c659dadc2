import { readFileSync, readdirSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";
import dockerignore from "@balena/dockerignore";
import type { ContextFile } from "./content-hash.ts";

function below(root: string, path: string): string[] {
  const absolute = join(root, path);
  if (statSync(absolute).isFile()) return [absolute];
  return readdirSync(absolute, { withFileTypes: true }).flatMap((entry) => {
    const child = join(absolute, entry.name);
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : below(root, relative(root, child));
    return [child];
  });
}

/**
 * The files that a copy of `sources` includes: all files below them, without those that .dockerignore excludes.
 * @param root absolute path of the context
 * @throws if a source is missing
 */
export function contextFiles(root: string, sources: readonly string[]): readonly ContextFile[] {
  const ignored = dockerignore.default().add(readFileSync(join(root, ".dockerignore"), "utf8"));
  const paths = new Set(
    sources.flatMap((source) => below(root, source)).map((path) => relative(root, path).split(sep).join("/")),
  );
  return [...paths]
    .filter((path) => !ignored.ignores(path))
    .map((path) => ({
      path,
      content: readFileSync(join(root, path)),
      executable: (statSync(join(root, path)).mode & 0o100) !== 0,
    }));
}
