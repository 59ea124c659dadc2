import { execFileSync } from "node:child_process";
import { networkInterfaces } from "node:os";
import { startTimeOf } from "@routeql/host/process-facts";

/** A pair of virtual network devices between this machine and a node. */
export interface Link {
  /** Name of the end inside the node. */
  readonly name: string;
  readonly address: string;
  /** Name of the end on this machine; free networks are found by it. */
  readonly machineName: string;
  readonly machineAddress: string;
}

const ip = (...args: string[]): string =>
  execFileSync("ip", args, { stdio: ["ignore", "pipe", "pipe"], encoding: "utf8" });

/** Devices left by other launchers: their alias contains their process, which has exited. */
async function leftLinks(): Promise<string[]> {
  const links = JSON.parse(ip("-json", "link", "show", "type", "veth") || "[]") as {
    ifname?: string;
    ifalias?: string;
  }[];
  const left: string[] = [];
  for (const { ifname = "", ifalias = "" } of links) {
    const owner = /^routeql-node (\d+) (\d+)$/.exec(ifalias);
    if (owner && (await startTimeOf(Number(owner[1]))) !== owner[2]) left.push(ifname);
  }
  return left;
}

/** Creates the machine's end, with an address from 198.18.0.0/15, which is reserved for tests between devices (RFC 2544) and not routed. */
export async function reserveLink(): Promise<Link> {
  for (const machineName of await leftLinks()) removeLink({ machineName });
  const taken = new Set(Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address)));
  for (let number = 0; number < 64; number++) {
    const machineAddress = `198.18.${number}.1`;
    const machineName = `rqnode${number}`;
    if (taken.has(machineAddress)) continue;
    try {
      ip("link", "add", machineName, "type", "veth", "peer", "name", `${machineName}p`);
    } catch {
      // Another node has taken the number in the meantime.
      continue;
    }
    ip("link", "set", machineName, "alias", `routeql-node ${process.pid} ${await startTimeOf(process.pid)}`);
    return { name: "node0", address: `198.18.${number}.2`, machineName, machineAddress };
  }
  throw new Error(
    "no network device can be made for the node: 64 numbers are taken, or veth devices are not allowed here",
  );
}

/** Moves the other end into the network namespace of a process, and enables this end. */
export function connectLink({ name, machineName, machineAddress }: Link, inside: number): void {
  ip("link", "set", `${machineName}p`, "netns", String(inside), "name", name);
  ip("address", "add", `${machineAddress}/30`, "dev", machineName);
  ip("link", "set", machineName, "up");
}

/** A node for the direct link to another one. */
export interface Peer {
  /** First process in its namespaces. */
  readonly process: number;
  readonly address: string;
  readonly podPrefix: string;
}

/** A direct link between two nodes with routes to each other's address and pods. The machine forwards nothing. */
export function connectNodes(first: Peer, second: Peer): void {
  const device = "peer0";
  const inside = ({ process: owner }: Peer, ...args: string[]): void => {
    execFileSync("nsenter", [`--target=${owner}`, "--net", "ip", ...args], { stdio: ["ignore", "ignore", "inherit"] });
  };
  const end = (peer: Peer): string[] => ["name", device, "netns", String(peer.process)];
  ip("link", "add", ...end(second), "type", "veth", "peer", ...end(first));
  for (const [own, other] of [
    [first, second],
    [second, first],
  ] as const) {
    // Also the source of the node's own traffic to the other one.
    inside(own, "address", "add", `${own.address}/32`, "dev", device);
    inside(own, "link", "set", device, "up");
    inside(own, "route", "add", other.address, "dev", device);
  }
  for (const [own, other] of [
    [first, second],
    [second, first],
  ] as const)
    inside(own, "route", "add", `${other.podPrefix}.0/24`, "via", other.address, "dev", device);
}

/** Removes both ends. The kernel also removes them with the namespace, but possibly much later. */
export function removeLink({ machineName }: Pick<Link, "machineName">): void {
  try {
    ip("link", "delete", machineName);
  } catch {
    // It was removed with its other end.
  }
}
