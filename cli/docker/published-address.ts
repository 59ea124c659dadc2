import { dockerClient } from "@routeql/host/docker/client";
import { daemonAddress } from "@routeql/host/docker/daemon-address";

/** Port of the API in the gateway's container. */
const apiPort = 8443;

/** Whether published ports are ports of this machine. */
export const publishesHere = (): boolean => daemonAddress().endpoint.startsWith("unix:");

/** Whether another machine can reach an address of a published port. */
const isOutside = (address: string): boolean => address !== "::1" && !address.startsWith("127.");

async function publishedAddresses(stack: string): Promise<readonly string[]> {
  const label = [`com.routeql.stack=${stack}`, "com.routeql.service=gateway"];
  const containers = await dockerClient().listContainers({ filters: { label } });
  return containers
    .flatMap(({ Ports }) => Ports)
    .flatMap(({ PrivatePort, PublicPort, IP }) => (PrivatePort === apiPort && PublicPort > 0 ? [IP] : []));
}

/** Whether the API is published on this machine for others. */
export async function isPublishedOutside(stack: string): Promise<boolean> {
  return publishesHere() && (await publishedAddresses(stack)).some(isOutside);
}

/** An address at which this machine reaches the published ports of the gateway; undefined for a daemon of another machine, or without such a port. */
export async function publishedAddress(stack: string): Promise<string | undefined> {
  if (!publishesHere()) return undefined;
  const [address] = await publishedAddresses(stack);
  return address === "0.0.0.0" ? "127.0.0.1" : address === "::" ? "::1" : address;
}
