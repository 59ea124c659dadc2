import type { types } from "@pulumi/kubernetes";
import type { ServiceDescription } from "../../description/service.ts";
import type { PodSettings } from "../../settings/values/pods.ts";
import { type Scope, selectorOf } from "./scope.ts";

/** Spreads the replicas of a service over nodes. The scheduler ignores a node without the label of any constraint, so zones are none. */
const usualSpread = [{ maxSkew: 1, topologyKey: "kubernetes.io/hostname", whenUnsatisfiable: "ScheduleAnyway" }];

/** Pods of a service without the replicas of an older template, which a rollout deletes. */
interface OwnPods {
  readonly labelSelector: types.input.meta.v1.LabelSelector;
  readonly matchLabelKeys: string[];
}

/** The same over zones; has no effect on nodes without this label. Kubernetes before 1.31 drops `matchLabelKeys` here. */
const overZones = (pods: OwnPods): types.input.core.v1.Affinity => ({
  podAntiAffinity: {
    preferredDuringSchedulingIgnoredDuringExecution: [
      { weight: 100, podAffinityTerm: { topologyKey: "topology.kubernetes.io/zone", ...pods } },
    ],
  },
});

/** Affinity and spread. Only Deployments have several pods. */
export function spread(
  { name, run, data }: ServiceDescription,
  { topologySpreadConstraints: given, affinity }: PodSettings,
  scope: Scope,
): Pick<types.input.core.v1.PodSpec, "topologySpreadConstraints" | "affinity"> {
  if (run === "job" || data !== undefined) return affinity === undefined ? {} : { affinity };
  const pods: OwnPods = {
    labelSelector: { matchLabels: { ...selectorOf(name, scope) } },
    matchLabelKeys: ["pod-template-hash"],
  };
  const constraints = (given ?? usualSpread).map((constraint) => ({ ...constraint, ...pods }));
  // Anti-affinity of the owner replaces the spread over zones.
  const joined = { ...(given === undefined ? overZones(pods) : {}), ...affinity };
  return {
    ...(constraints.length === 0 ? {} : { topologySpreadConstraints: constraints }),
    ...(Object.keys(joined).length === 0 ? {} : { affinity: joined }),
  };
}
