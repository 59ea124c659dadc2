import { dockerClient } from "@routeql/host/docker/client";
import { engineAddress } from "@routeql/host/docker/engine-address";

/** Port of the API in the gateway's container. */
const apiPort = 8443;

/** Whether published ports are ports of this machine. */
export const publishesHere = (): boolean => engineAddress().endpoint.startsWith("unix:");

/** An address at which this machine reaches the published ports of the gateway; undefined for an engine of another machine, or without such a port. */
export async function publishedAddress(stack: string): Promise<string | undefined> {
  if (!publishesHere()) return undefined;
  const label = [`com.routeql.stack=${stack}`, "com.routeql.service=gateway"];
  const containers = await dockerClient().listContainers({ filters: { label } });
  const ports = containers.flatMap(({ Ports }) => Ports);
  const address = ports.find(({ PrivatePort, PublicPort }) => PrivatePort === apiPort && PublicPort > 0)?.IP;
  return address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
}
