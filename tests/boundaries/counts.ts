/**
 * Prints the size of each product and of the documents; `npm run lint` runs it. Code is TypeScript and JavaScript. Tests are `*.test.ts`
 * and folders `testing/`, and all code of `tests/`. Documents are README.md and `docs/`.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { repository } from "../harness/repository.ts";
import { listedFiles } from "./listed-files.ts";
import { isTest } from "./packages.ts";
import { productOf, products } from "./products.ts";

const files = listedFiles("*.ts", "*.tsx", "*.js", "*.mjs");

const lines = (paths: readonly string[]): number =>
  paths.reduce((sum, path) => sum + readFileSync(join(repository, path), "utf8").split("\n").length - 1, 0);

const row = (name: string, paths: readonly string[]): string => {
  const source = paths.filter((path) => !isTest(path));
  const tests = paths.filter(isTest);
  return [
    name.padEnd(16),
    ...[source.length, lines(source), lines(tests)].map((count) => String(count).padStart(14)),
  ].join("");
};

console.log(
  ["product".padEnd(16), ...["files", "source lines", "test lines"].map((head) => head.padStart(14))].join(""),
);
for (const product of products)
  console.log(
    row(
      product.name,
      files.filter((path) => productOf(path) === product),
    ),
  );
console.log(row("all", files));
const words = listedFiles("README.md", "docs/*.md").map(
  (path) => readFileSync(join(repository, path), "utf8").split(/\s+/).filter(Boolean).length,
);
console.log(`documents: ${words.reduce((sum, count) => sum + count, 0)} words`);
