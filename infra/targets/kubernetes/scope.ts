import { createHash } from "node:crypto";
import { type Input, type Output, unsecret } from "@pulumi/pulumi";
import { stateLabel } from "@routeql/host/ownership";
import { derive } from "../../inputs.ts";
import type { ResourceNames } from "../../resource-names.ts";
import type { ServiceName } from "../../description/service.ts";

/** IP families of a Service; empty: the cluster decides. */
export interface IpFamilies {
  readonly ipFamilies?: string[];
  readonly ipFamilyPolicy?: string;
}

export interface Scope {
  readonly namespace: Input<string>;
  /** The same, once the namespace exists; its objects wait for it. */
  readonly readyNamespace: Output<string>;
  /** Label of this deployment: `routeql-<stack>`. */
  readonly instance: string;
  readonly state?: Input<string> | undefined;
  /** DNS domain of the cluster, e.g. `cluster.local`. */
  readonly clusterDomain: Input<string>;
  readonly ipFamilies: Input<IpFamilies>;
  /** Whether versioned objects are named by their content, as in manifests; otherwise Pulumi generates their names. */
  readonly contentNames: boolean;
  readonly named: ResourceNames;
}

export type Labels = Readonly<Record<string, string>>;

/** Labels of an object; the identity of the state may be known only during the deployment. */
export type ObjectLabels = Readonly<Record<string, Input<string>>>;

/** Selects the pods of one service; a workload's selector can never change. */
export function selectorOf(service: ServiceName, { instance }: Pick<Scope, "instance">): Labels {
  return { "app.kubernetes.io/name": service, "app.kubernetes.io/instance": instance };
}

/** Labels of every object of the stack, or of one of its services (Kubernetes' recommended labels). */
export function labelsOf(
  service: ServiceName | undefined,
  { instance, state }: Pick<Scope, "instance" | "state">,
): ObjectLabels {
  return {
    ...(state === undefined ? {} : { [stateLabel]: state }),
    ...(service === undefined ? {} : { "app.kubernetes.io/name": service }),
    "app.kubernetes.io/instance": instance,
    "app.kubernetes.io/part-of": "routeql",
  };
}

export function metadataOf(name: Input<string>, service: ServiceName | undefined, scope: Scope) {
  return { name, namespace: scope.readyNamespace, labels: { ...labelsOf(service, scope) } };
}

/**
 * Metadata of an object that another one replaces when its content changes. Under Pulumi it has no name, so that Pulumi generates one that never
 * returns: an object with the name of a pending deletion in the state would be deleted at the end of the update that created it.
 */
export function versionedMetadata(
  name: string,
  content: Output<Readonly<Record<string, string>>>,
  service: ServiceName,
  scope: Scope,
) {
  const { name: _, ...metadata } = metadataOf(name, service, scope);
  if (!scope.contentNames) return metadata;
  return { ...metadata, name: unsecret(content).apply((known) => `${name}-${contentHash(known)}`) };
}

/** Full DNS name of a service, for clients that do not use the search domains of /etc/resolv.conf. */
export function hostOf(
  service: ServiceName,
  { namespace, clusterDomain }: Pick<Scope, "namespace" | "clusterDomain">,
): Input<string> {
  return derive({ namespace, clusterDomain }, (known) => `${service}.${known.namespace}.svc.${known.clusterDomain}`);
}

const length = 12;

/** Sorted by key, so that the order in a description does not matter. */
function canonical(content: Readonly<Record<string, string>>): string {
  return JSON.stringify(Object.entries(content).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** Suffix of an immutable object's name: other content gives another object. 12 hexadecimal digits. */
export function contentHash(content: Readonly<Record<string, string>>): string {
  return createHash("sha256").update(canonical(content)).digest("hex").slice(0, length);
}
