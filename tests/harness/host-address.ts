import { mustRun } from "./process.ts";

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
