import { AbstractStartedContainer, type StartedTestContainer } from "testcontainers";

/**
 * A container's own address on this machine's bridge. By way of its published ports, behind which Docker puts a proxy of its own, one in
 * some thousand connections was never answered on a busy machine.
 */
export function ownAddress(container: Pick<StartedTestContainer, "getNetworkNames" | "getIpAddress">): string {
  const [network] = container.getNetworkNames();
  if (network === undefined) throw new Error("the container is on no network");
  return container.getIpAddress(network);
}

/** A running container that processes of this machine reach at its own address, where its ports are the ones that it listens on. */
export class ContainerAtOwnAddress extends AbstractStartedContainer {
  override getHost(): string {
    return ownAddress(this);
  }

  override getMappedPort(port: number | `${number}/${"tcp" | "udp"}`): number {
    return Number.parseInt(String(port), 10);
  }

  /** The port of this machine that leads to one of the container's: for containers of other networks, from which Docker keeps its own address. */
  getPublishedPort(port: number): number {
    return super.getMappedPort(port);
  }
}
