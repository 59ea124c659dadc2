/**
 * Writes every document that is derived from code, or with --check says which are out of date.
 * @module
 */
import { readFile, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { renderErrorDocument } from "../contract/error-document.ts";
import { generatedFiles } from "../infra/settings/reference/files.ts";
import { permissionsDocument } from "../tests/permissions/document.ts";
import { rulesDocument } from "./routeql/src/rules/document.ts";

const root = resolve(import.meta.dirname, "..");

function derived(): ReadonlyMap<string, string> {
  return new Map([["docs/errors.md", renderErrorDocument()], ["docs/metadata-rules.md", rulesDocument()], ["docs/permissions.md", permissionsDocument()], ...generatedFiles()]);
}

/** The derived documents whose file is absent or differs from what the code says now: path below the root, and what it must hold. */
export async function outdatedDocuments(): Promise<ReadonlyMap<string, string>> {
  const outdated = new Map<string, string>();
  for (const [path, content] of derived()) {
    const written = await readFile(resolve(root, path), "utf8").catch(() => undefined);
    if (written !== content) outdated.set(path, content);
  }
  return outdated;
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: "boolean", default: false } } });
  const outdated = await outdatedDocuments();
  if (outdated.size === 0) console.log("every derived document is current");
  for (const [path, content] of outdated) {
    if (values.check) {
      console.error(`${path} is out of date: run npm run documents`);
      process.exitCode = 1;
    } else {
      await writeFile(resolve(root, path), content);
      console.log(`wrote ${path}`);
    }
  }
}
