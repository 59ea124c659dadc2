import type { TypeOfToken } from "./token.ts";
import { type Path, pathText } from "./paths.ts";

const always = ["metadata.name", "metadata.namespace"];

/** By group and kind; the same fields as in the official provider (pulumi-kubernetes, provider/pkg/provider/diff.go). */
const byKind: Readonly<Record<string, readonly string[]>> = {
  "apps/Deployment": ["spec.selector"],
  "apps/DaemonSet": ["spec.selector"],
  "apps/StatefulSet": [
    "spec.podManagementPolicy",
    "spec.revisionHistoryLimit",
    "spec.selector",
    "spec.serviceName",
    "spec.volumeClaimTemplates",
  ],
  "batch/Job": ["spec.completions", "spec.parallelism", "spec.selector", "spec.template"],
  "/ConfigMap": ["binaryData", "data"],
  "/Secret": ["type", "stringData", "data"],
  "/Service": ["spec.clusterIP"],
  "/Pod": ["spec"],
  "/PersistentVolumeClaim": ["spec.accessModes", "spec.selector", "spec.storageClassName", "spec.volumeName"],
  "/ResourceQuota": ["spec.scopes"],
  "rbac.authorization.k8s.io/RoleBinding": ["roleRef"],
  "rbac.authorization.k8s.io/ClusterRoleBinding": ["roleRef"],
  "storage.k8s.io/StorageClass": ["parameters", "provisioner"],
};

export const groupOf = (apiVersion: string): string => (apiVersion.includes("/") ? apiVersion.split("/")[0]! : "");

/** Fields whose change requires a replacement. */
function replacingFields({ apiVersion, kind }: TypeOfToken): readonly string[] {
  return [...always, ...(byKind[`${groupOf(apiVersion)}/${kind}`] ?? [])];
}

/** The changed paths within such fields. */
export function replacingPaths(type: TypeOfToken, changed: readonly Path[]): string[] {
  const fields = replacingFields(type);
  return changed
    .map(pathText)
    .filter((path) =>
      fields.some((name) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`)),
    );
}
