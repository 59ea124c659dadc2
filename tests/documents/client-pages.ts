/**
 * The pages of docs/clients include their samples. A fenced block after `<!-- sample: <file> -->` contains that file of
 * docs/clients/samples, which tests/e2e runs.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const block = /(<!-- sample: (\S+) -->\n```\w*\n)(?:(?!```)[^]*?\n)?(```\n)/g;

/** The console's modules for clients, and their copies beside the samples: a user copies a folder of samples alone. */
const clientModules = {
  "console/src/client-session.mjs": ["docs/clients/samples/session.mjs", "docs/clients/samples/browser/session.mjs"],
  "console/src/client-stream.mjs": ["docs/clients/samples/stream.mjs"],
};

/** The copies by path below the root. */
export function clientModuleCopies(): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(clientModules).flatMap(([source, copies]) => {
      const text = `// Copy of ${source}, written by \`npm run documents\`; do not edit.\n${readFileSync(join(root, source), "utf8")}`;
      return copies.map((path): [string, string] => [path, text]);
    }),
  );
}

/** Every page with the current text of its samples, by path below the root. */
export function clientPages(): ReadonlyMap<string, string> {
  const pages = globSync("docs/clients/*.md", { cwd: root }).toSorted();
  return new Map(pages.map((path) => [path, withSamples(readFileSync(join(root, path), "utf8"))]));
}

function withSamples(page: string): string {
  return page.replaceAll(block, (_, opening: string, file: string, closing: string) => {
    const sample = readFileSync(join(root, "docs/clients/samples", file), "utf8");
    return `${opening}${sample}${closing}`;
  });
}
