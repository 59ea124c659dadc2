import type { StateResource } from "./stored-deployment.ts";

/** Deleting a namespace deletes its volumes. Deleting a CloudNativePG cluster deletes those of its instances. */
const holdsData: ReadonlySet<string> = new Set(["kubernetes:core/v1:Namespace", "kubernetes:postgresql.cnpg.io/v1:Cluster"]);

/** Resources that must stay to keep the data: the holders of the data and their dependencies (logins, policy, backup storage). */
export function keptWithData(resources: readonly StateResource[]): ReadonlySet<string> {
  const byUrn = new Map(resources.map((resource) => [resource.urn, resource]));
  const kept = new Set<string>();
  const keep = (urn: string): void => {
    if (kept.has(urn)) return;
    kept.add(urn);
    for (const needed of byUrn.get(urn)?.dependencies ?? []) keep(needed);
  };
  for (const { type, urn } of resources) if (holdsData.has(type)) keep(urn);
  return kept;
}
