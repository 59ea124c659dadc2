import type { StartedTestContainer } from "testcontainers";

/**
 * A container's own address on this machine's bridge. By way of its published ports, behind which Docker puts a proxy of its own, one in
 * some thousand connections was never answered on a busy machine.
 */
export function ownAddress(container: Pick<StartedTestContainer, "getNetworkNames" | "getIpAddress">): string {
  const [network] = container.getNetworkNames();
  if (network === undefined) throw new Error("the container is on no network");
  return container.getIpAddress(network);
}
