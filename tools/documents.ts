/**
 * Writes every document that is derived from code, or with --check says which are out of date.
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderErrorDocument } from "../contract/error-document.ts";

const root = resolve(import.meta.dirname, "..");

/** Path below the repository's root, and what the file must hold. */
export const documents: Readonly<Record<string, () => string>> = {
  "docs/errors.md": renderErrorDocument,
};

/** The derived documents whose file is absent or differs from what the code says now. */
export async function outdatedDocuments(): Promise<string[]> {
  const outdated: string[] = [];
  for (const [path, render] of Object.entries(documents)) {
    const written = await readFile(resolve(root, path), "utf8").catch(() => undefined);
    if (written !== render()) outdated.push(path);
  }
  return outdated;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const outdated = await outdatedDocuments();
  if (values.check) {
    for (const path of outdated) console.error(`${path} is out of date: run npm run documents`);
    process.exitCode = outdated.length > 0 ? 1 : 0;
  } else {
    for (const path of outdated) {
      await writeFile(resolve(root, path), (documents[path] as () => string)());
      console.log(`wrote ${path}`);
    }
    if (outdated.length === 0) console.log("every derived document is current");
  }
}
