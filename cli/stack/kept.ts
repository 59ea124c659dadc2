import type { StateResource } from "./stored-deployment.ts";

/** A namespace takes its volumes with it, and a cluster of CloudNativePG's those of its instances. */
const holdsData: ReadonlySet<string> = new Set(["kubernetes:core/v1:Namespace", "kubernetes:postgresql.cnpg.io/v1:Cluster"]);

/** What of a target stays so that data stay: whatever holds them, and what that depends on (logins, policy, storage of the backups). */
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
