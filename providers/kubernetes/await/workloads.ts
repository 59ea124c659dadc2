import { conditionOf, field, type KubernetesObject, numberAt } from "@routeql/host/kubernetes/objects";
import { ready, type Readiness } from "./readiness.ts";

const observed = (object: KubernetesObject): boolean =>
  numberAt(object, "status", "observedGeneration") >= (object.metadata.generation ?? 0);

const wanted = (object: KubernetesObject): number => {
  const replicas = field(object, "spec", "replicas");
  return typeof replicas === "number" ? replicas : 1;
};

/** Ready when every pod has the newest template and is available, and no older pod remains (as `kubectl rollout status`). */
export function deploymentReadiness(object: KubernetesObject): Readiness {
  if (!observed(object)) return { waitsFor: "its controller has not processed it yet" };
  const progressing = conditionOf(object, "Progressing");
  if (progressing?.reason === "ProgressDeadlineExceeded")
    return { failed: progressing.message ?? "the rollout makes no progress" };
  const [replicas, updated, available, all] = [
    wanted(object),
    ...["updatedReplicas", "availableReplicas", "replicas"].map((name) => numberAt(object, "status", name)),
  ];
  if (updated! < replicas) return { waitsFor: `${updated} of ${replicas} pods are of the new version` };
  if (all! > updated!) return { waitsFor: `${all! - updated!} pods of the old version are still there` };
  if (available! < updated!) return { waitsFor: `${available} of ${updated} pods are available` };
  return ready;
}

/** Ready when every pod has the newest revision and is ready. */
export function statefulSetReadiness(object: KubernetesObject): Readiness {
  if (!observed(object)) return { waitsFor: "its controller has not processed it yet" };
  const replicas = wanted(object);
  const readyReplicas = numberAt(object, "status", "readyReplicas");
  if (readyReplicas < replicas) return { waitsFor: `${readyReplicas} of ${replicas} pods are ready` };
  const [current, update] = [field(object, "status", "currentRevision"), field(object, "status", "updateRevision")];
  const updated = numberAt(object, "status", "updatedReplicas");
  const onDelete = field(object, "spec", "updateStrategy", "type") === "OnDelete";
  if (!onDelete && current !== update && updated < replicas)
    return { waitsFor: `${updated} of ${replicas} pods are of the new revision` };
  return ready;
}

/** Ready when every scheduled node runs a ready pod of the newest template. */
export function daemonSetReadiness(object: KubernetesObject): Readiness {
  if (!observed(object)) return { waitsFor: "its controller has not processed it yet" };
  const desired = numberAt(object, "status", "desiredNumberScheduled");
  for (const name of ["updatedNumberScheduled", "numberAvailable"]) {
    const count = numberAt(object, "status", name);
    if (count < desired) return { waitsFor: `${name} is ${count} of ${desired}` };
  }
  return ready;
}
