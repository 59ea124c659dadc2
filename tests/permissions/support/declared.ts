import { resolve } from "node:path";
import { loadMetadata } from "@routeql/metadata/read/load";
import { MetadataError } from "@routeql/metadata/read/problems";
import { validateMetadata } from "@routeql/metadata/read/validate";
import { type DeclaredAccess, declaredAccess } from "hasura-checks/declared";

export const metadataDirectory: string = resolve(import.meta.dirname, "../../../hasura-metadata");

/** Permissions in the project's metadata. @throws MetadataError */
export function declared(): DeclaredAccess {
  const { metadata, problems } = validateMetadata(loadMetadata(metadataDirectory), { allowUnsupported: false });
  if (metadata === undefined) throw new MetadataError(problems);
  return declaredAccess(metadata);
}
