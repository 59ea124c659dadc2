import { resolve } from "node:path";
import { loadMetadata } from "../../../engine/src/metadata/load.ts";
import { MetadataError } from "../../../engine/src/metadata/problems.ts";
import { validateMetadata } from "../../../engine/src/metadata/validate.ts";
import { type DeclaredAccess, declaredAccess } from "../../../engine/src/permissions/declared.ts";

export const metadataDirectory: string = resolve(import.meta.dirname, "../../../hasura-metadata");

/** What the project's metadata grant. @throws MetadataError */
export function declared(): DeclaredAccess {
  const { metadata, problems } = validateMetadata(loadMetadata(metadataDirectory), false);
  if (metadata === undefined) throw new MetadataError(problems);
  return declaredAccess(metadata);
}

/** Roles of accounts that metadata grant nothing; `nobody` stands for any other name. */
export const rolesWithoutPermission: readonly string[] = ["pending", "nobody"];
