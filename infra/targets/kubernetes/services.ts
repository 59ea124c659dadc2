import { Service } from "@pulumi/kubernetes/core/v1/index.js";
import type { Resource } from "@pulumi/pulumi";
import type { ServiceDescription } from "../../services/description.ts";
import { metadataOf, selectorOf } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** How clients outside the cluster reach the published ports. */
export interface Publication {
  readonly type: "LoadBalancer" | "NodePort" | "ClusterIP";
  /** For the cloud's load balancer, by name. */
  readonly annotations: Readonly<Record<string, string>>;
}

/**
 * DNS name and address of a service inside the cluster. A service with data is headless: its pod is its address, so clients
 * with open connections notice its end at once.
 */
export function internalService(service: ServiceDescription, scope: Scope, parent: Resource): Service {
  return new Service(
    scope.named(service.name),
    {
      metadata: {
        ...metadataOf(service.name, service.name, scope),
        // Its pods may wait for a job, whose failure is reported by the job itself.
        annotations: { "pulumi.com/skipAwait": "true" },
      },
      spec: {
        type: "ClusterIP",
        ...(service.data === undefined ? {} : { clusterIP: "None" }),
        selector: { ...selectorOf(service.name, scope) },
        ports: service.listens.map(({ name, port }) => ({ name, port, targetPort: port, protocol: "TCP" })),
      },
    },
    { parent },
  );
}

/**
 * The only entry point of the stack, created when it has pods. Traffic stays on the node that received it, so that the gateway sees the
 * client's address.
 */
export function publishedService(
  service: ServiceDescription,
  { type, annotations }: Publication,
  scope: Scope,
  { parent, workload }: { readonly parent: Resource; readonly workload: Resource },
): Service {
  const metadata = metadataOf(service.name, service.name, scope);
  return new Service(
    scope.named(service.name),
    {
      metadata: { ...metadata, ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }) },
      spec: {
        type,
        ...(type === "ClusterIP" ? {} : { externalTrafficPolicy: "Local" }),
        selector: { ...selectorOf(service.name, scope) },
        ports: service.ports.map(({ internal, published }) => ({
          name: `port-${internal}`,
          port: published,
          targetPort: internal,
          protocol: "TCP",
          ...(type === "NodePort" ? { nodePort: published } : {}),
        })),
      },
    },
    { parent, dependsOn: [workload] },
  );
}
