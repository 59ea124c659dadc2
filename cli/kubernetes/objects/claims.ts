import { stateLabel } from "@routeql/host/ownership";
import type { Cluster } from "@routeql/host/kubernetes/cluster";
import { claimFor, claimIn, objectsIn, removeClaimIn } from "@routeql/host/kubernetes/stack-objects";
import type { ClaimStore } from "../../ownership/ownership.ts";
import type { Place } from "../place.ts";

/** Claims in a namespace: a ConfigMap. A namespace that the update creates names its owner by its label until then. */
export const clusterClaims = (cluster: Cluster, place: Place): ClaimStore => ({
  where: `in the namespace ${place.namespace} of the cluster ${place.server}`,
  daemon: () => Promise.resolve(undefined),
  read: () => claimIn(cluster, place),
  // Its data is compared with the secrets of the state (refuseForeignClaims).
  objects: async () =>
    (await objectsIn(cluster, place)).map(({ metadata }) => ({
      name: metadata.name,
      state: metadata.labels?.[stateLabel],
      isData: false,
    })),
  async write(mine) {
    await claimFor(cluster, place, mine);
    return mine;
  },
  remove: () => removeClaimIn(cluster, place),
});
