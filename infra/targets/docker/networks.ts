import { Network } from "@pulumi/docker";
import type { types } from "@pulumi/docker";
import type { Output, Resource } from "@pulumi/pulumi";
import { callEdges, outsideEdges } from "../../services/description.ts";
import type { ServiceDescription, ServiceName } from "../../services/description.ts";
import { labels, replaceInPlace } from "./scope.ts";
import type { Scope } from "./scope.ts";

/** Which networks each service is on. */
export type Attachments = (service: ServiceName) => types.input.ContainerNetworksAdvanced[];

interface Joined {
  readonly members: readonly ServiceName[];
  readonly name: Output<string>;
}

/**
 * One internal network for each call edge, so that only the two at its ends reach each other and neither reaches the outside;
 * for each edge to the outside one with a way out, which the caller alone is on; and, for services that publish ports, another
 * one with a way out.
 */
export function connect(services: readonly ServiceDescription[], scope: Scope, parent: Resource): Attachments {
  const network = (suffix: string, internal: boolean): Output<string> =>
    new Network(scope.named(suffix), { name: `${scope.prefix}-${suffix}`, internal, labels: labels(scope) }, { parent, ...replaceInPlace })
      .name;

  const joined: Joined[] = callEdges(services).map((edge) => ({ members: edge, name: network(edge.join("-"), true) }));
  for (const edge of outsideEdges(services)) joined.push({ members: [edge[0]], name: network(edge.join("-"), false) });
  const publishing = services.filter(({ ports }) => ports.length > 0).map(({ name }) => name);
  if (publishing.length > 0) joined.push({ members: publishing, name: network("edge", false) });

  return (service) => joined.filter(({ members }) => members.includes(service)).map(({ name }) => ({ name, aliases: [service] }));
}
