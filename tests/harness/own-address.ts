import { AbstractStartedContainer, type StartedTestContainer } from "testcontainers";

/**
 * A container's own address on this machine's bridge. Published ports pass through Docker's own proxy, which on a busy machine never
 * answered about one in a thousand connections.
 */
export function ownAddress(container: Pick<StartedTestContainer, "getNetworkNames" | "getIpAddress">): string {
  const [network] = container.getNetworkNames();
  if (network === undefined) throw new Error("the container is on no network");
  return container.getIpAddress(network);
}

/** A running container that processes of this machine reach at its own address and its own ports. */
export class ContainerAtOwnAddress extends AbstractStartedContainer {
  override getHost(): string {
    return ownAddress(this);
  }

  override getMappedPort(port: number | `${number}/${"tcp" | "udp"}`): number {
    return Number.parseInt(String(port), 10);
  }

  /**
   * The published port of this machine for one of the container's ports: for containers of other networks, which Docker does not route
   * to its own address.
   */
  getPublishedPort(port: number): number {
    return super.getMappedPort(port);
  }
}
