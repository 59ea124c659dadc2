import { readFileSync } from "node:fs";
import { join, posix } from "node:path";
import { readPackages } from "../../boundaries/packages.ts";
import { repository } from "../../harness/repository.ts";

/** Types are erased before anything runs, so `import type` does not count. */
const specifiers = /^(?:import|export)(?!\s+type\b)(?:[^"';]*?\bfrom)?\s*"([^"]+)"|\bimport\(\s*"([^"]+)"/gm;

/** The modules that a text imports. */
export const importsOf = (text: string): string[] =>
  Array.from(text.matchAll(specifiers), ([, fixed, dynamic]) => (fixed ?? dynamic)!);

/** The files of this repository that a file imports, by relative paths and by the `exports` of packages. */
export function importedFiles(): (file: string) => string[] {
  const modules = new Map(
    readPackages().flatMap(({ name, folder }) => {
      const text = readFileSync(join(repository, folder, "package.json"), "utf8");
      const { exports = {} } = JSON.parse(text) as { exports?: Readonly<Record<string, string>> };
      return Object.entries(exports).map(([key, file]) => [posix.join(name, key), posix.join(folder, file)] as const);
    }),
  );
  return (file) =>
    importsOf(readFileSync(join(repository, file), "utf8")).flatMap((specifier) => {
      if (specifier.startsWith(".")) return [posix.join(posix.dirname(file), specifier)];
      const module = modules.get(specifier);
      return module === undefined ? [] : [module];
    });
}
