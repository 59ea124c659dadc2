import { AbstractStartedContainer, type StartedTestContainer } from "testcontainers";
import type { TestContext } from "vitest";
import { dockerClient } from "@routeql/host/docker/client";
import { daemonAddress, socketOf } from "@routeql/host/docker/daemon-address";
import { type DaemonInfo, hasBridgesHere } from "../docker/daemon-network.ts";

/** Whether processes of this machine reach containers at their own addresses; otherwise at published ports. */
const reachesContainers: boolean = hasBridgesHere(
  (await dockerClient().info()) as DaemonInfo,
  socketOf(daemonAddress()) !== undefined,
);

/** Skips a test whose server on a loopback address of this machine is for the Docker daemon. */
export function requireLoopback(context: TestContext): void {
  context.skip(
    !reachesContainers,
    "the Docker daemon has a network of its own and does not reach a server on this machine's loopback address",
  );
}

type Container = Pick<StartedTestContainer, "getNetworkNames" | "getIpAddress" | "getHost" | "getMappedPort">;

interface Address {
  readonly host: string;
  readonly port: number;
}

/**
 * Where processes of this machine reach a port of a container. Published ports pass through Docker's own proxy, which on a busy machine
 * never answered about one in a thousand connections, so the container's own address is used if possible.
 */
export function addressOf(container: Container, port: number): Address {
  if (!reachesContainers)
    return { host: container.getHost().replace("localhost", "127.0.0.1"), port: container.getMappedPort(port) };
  const [network] = container.getNetworkNames();
  if (network === undefined) throw new Error("the container is on no network");
  return { host: container.getIpAddress(network), port };
}

/** A running container whose host and ports are the ones of {@link addressOf}. */
export class ReachableContainer extends AbstractStartedContainer {
  override getHost(): string {
    if (!reachesContainers) return super.getHost().replace("localhost", "127.0.0.1");
    return addressOf(this.startedTestContainer, 0).host;
  }

  override getMappedPort(port: number | `${number}/${"tcp" | "udp"}`): number {
    const inside = Number.parseInt(String(port), 10);
    return reachesContainers ? inside : super.getMappedPort(inside);
  }

  /**
   * The published port of this machine for one of the container's ports: for containers of other networks, which Docker does not route
   * to its own address.
   */
  getPublishedPort(port: number): number {
    return super.getMappedPort(port);
  }
}
