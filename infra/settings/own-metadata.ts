import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { loadMetadata } from "@routeql/metadata/read/load";
import { mergeMetadata } from "@routeql/metadata/read/merge";
import { checkMetadata } from "hasura-checks/rules/check";
import type { Check } from "./setting.ts";

export const metadataFolder = resolve(import.meta.dirname, "../../hasura-metadata");

/** The kit's metadata with that of a directory, as one JSON document. */
export const withOwnMetadata = (folder: string): string =>
  JSON.stringify(mergeMetadata(loadMetadata(metadataFolder).merged, loadMetadata(folder).merged), undefined, 2);

/** Finds errors of hasura-checks in the metadata with that of a directory. A relative path of the configuration starts from the project. */
function problemOf(written: string): string | undefined {
  const folder = resolve(import.meta.dirname, "../..", written);
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) return "is not a folder";
  const { problems } = loadMetadata(folder);
  if (problems.length > 0) return `is invalid: ${problems.map(({ file, reason }) => `${file}: ${reason}`).join("; ")}`;
  const temporary = mkdtempSync(join(tmpdir(), "routeql-metadata-"));
  try {
    const file = join(temporary, "metadata.json");
    writeFileSync(file, withOwnMetadata(folder));
    const errors = checkMetadata(file).filter(({ severity }) => severity === "error");
    return errors.length === 0 ? undefined : `is invalid: ${errors.map(({ reason }) => reason).join("; ")}`;
  } finally {
    rmSync(temporary, { recursive: true });
  }
}

export const ownMetadata: { check: Check<"file">; allowed: string } = {
  check: problemOf,
  allowed: "a metadata directory without errors of hasura-checks",
};
