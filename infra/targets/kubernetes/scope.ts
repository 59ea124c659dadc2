import type { Input, Output } from "@pulumi/pulumi";
import type { ResourceNames } from "../../components/resource-names.ts";
import type { ServiceName } from "../../services/description.ts";

/** What the names and labels of one stack's Kubernetes objects are made of. */
export interface Scope {
  readonly namespace: string;
  /** The same, once the namespace is there; what is made in it waits for it. */
  readonly readyNamespace: Output<string>;
  /** Tells this deployment from another in labels: `routeql-<stack>`. */
  readonly instance: string;
  /** Ends every DNS name of the cluster, e.g. `cluster.local`. */
  readonly clusterDomain: string;
  readonly named: ResourceNames;
}

export type Labels = Readonly<Record<string, string>>;

/** Tells the pods of one service from all others; the selector of a workload can never change. */
export function selectorOf(service: ServiceName, { instance }: Pick<Scope, "instance">): Labels {
  return { "app.kubernetes.io/name": service, "app.kubernetes.io/instance": instance };
}

/** Labels of every object of the stack, or of one service of it (Kubernetes' recommended labels). */
export function labelsOf(service: ServiceName | undefined, { instance }: Pick<Scope, "instance">): Labels {
  return {
    ...(service === undefined ? {} : { "app.kubernetes.io/name": service }),
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/part-of": "routeql",
  };
}

/** Name, namespace and labels of an object. */
export function metadataOf(name: Input<string>, service: ServiceName | undefined, scope: Scope) {
  return { name, namespace: scope.readyNamespace, labels: { ...labelsOf(service, scope) } };
}

/** Whole DNS name of a service, for those that do not use the search domains of /etc/resolv.conf. */
export function hostOf(service: ServiceName, { namespace, clusterDomain }: Pick<Scope, "namespace" | "clusterDomain">): string {
  return `${service}.${namespace}.svc.${clusterDomain}`;
}
