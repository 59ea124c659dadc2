import { execFileSync } from "node:child_process";
import { networkInterfaces } from "node:os";

/** A pair of virtual network devices between this machine and a node. */
export interface Link {
  /** Name of the end inside the node. */
  readonly name: string;
  readonly address: string;
  /** Name of the end on this machine; free networks are found by it. */
  readonly machineName: string;
  readonly machineAddress: string;
}

const ip = (...args: string[]): void => {
  execFileSync("ip", args, { stdio: ["ignore", "ignore", "pipe"] });
};

/**
 * Makes the machine's end, with an address out of 198.18.0.0/15, which is set aside for tests between devices (RFC 2544) and is
 * routed nowhere.
 */
export async function reserveLink(): Promise<Link> {
  const taken = new Set(
    Object.values(networkInterfaces()).flatMap((list = []) => list.map(({ address }) => address)),
  );
  for (let number = 0; number < 64; number++) {
    const machineAddress = `198.18.${number}.1`;
    const machineName = `rqnode${number}`;
    if (taken.has(machineAddress)) continue;
    try {
      ip("link", "add", machineName, "type", "veth", "peer", "name", `${machineName}p`);
    } catch {
      // Another node has taken the number meanwhile.
      continue;
    }
    return { name: "node0", address: `198.18.${number}.2`, machineName, machineAddress };
  }
  throw new Error("no network device can be made for the node: 64 numbers are taken, or veth devices are not allowed here");
}

/** Moves the other end into the network namespace of a process, and brings this end up. It goes when the namespace goes. */
export function connectLink({ name, machineName, machineAddress }: Link, process: number): void {
  ip("link", "set", `${machineName}p`, "netns", String(process), "name", name);
  ip("address", "add", `${machineAddress}/30`, "dev", machineName);
  ip("link", "set", machineName, "up");
}
