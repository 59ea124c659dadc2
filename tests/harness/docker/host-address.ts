import { networkInterfaces } from "node:os";
import { mustRun } from "../process.ts";

/**
 * An address of this machine that a container with external access reaches. Bridges of Docker are the last choice: a network may
 * disappear, and a rootless daemon has the same addresses inside its own network.
 */
export function hostAddress(): string {
  const addressesOf = (ofDocker: boolean): (string | undefined)[] =>
    Object.entries(networkInterfaces())
      .filter(([name]) => /^(br-|docker|veth)/.test(name) === ofDocker)
      .flatMap(([, list = []]) => list)
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map(({ address }) => address);
  const found = [...addressesOf(false), ...addressesOf(true)][0];
  if (found === undefined) throw new Error("This machine has no IPv4 address that a container reaches.");
  return found;
}

/**
 * Gives the host an address on an internal network, where it has none, so that a test can reach the services there. Reverted by
 * dispose.
 * @returns the address, the one that Docker reserves for the network's gateway
 */
export async function addHostAddress(network: string): Promise<{ readonly address: string } & AsyncDisposable> {
  const format = "{{slice .Id 0 12}} {{with index .IPAM.Config 0}}{{.Gateway}} {{.Subnet}}{{end}}";
  const [id, address, subnet] = (await mustRun("docker", ["network", "inspect", "--format", format, network]))
    .trim()
    .split(" ") as [string, string, string];
  const change = (verb: "add" | "del"): Promise<string> =>
    mustRun("ip", ["address", verb, `${address}/${subnet.split("/")[1]}`, "dev", `br-${id}`]);
  await change("add");
  return { address, [Symbol.asyncDispose]: async () => void (await change("del")) };
}
