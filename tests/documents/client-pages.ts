/**
 * The pages of docs/clients include their samples. A fenced block after `<!-- sample: <file> -->` contains that file of
 * docs/clients/samples, which tests/e2e runs.
 */
import { globSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const block = /(<!-- sample: (\S+) -->\n```\w*\n)(?:(?!```)[^]*?\n)?(```\n)/g;

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
