import { addHostAddress } from "@routeql/tests/harness/host-address";
import { mustRun } from "@routeql/tests/harness/process";

/**
 * Addresses of a stack's containers, so that Docker's port proxy is not measured. The host has no address on internal networks: they get
 * one until dispose.
 */
export class StackAddresses implements AsyncDisposable {
  readonly #stack: string;
  readonly #networks = new Map<string, AsyncDisposable>();

  constructor(stack: string) {
    this.#stack = stack;
  }

  /** Address of a service, reachable from the host. */
  async of(service: string): Promise<string> {
    const format =
      '{{range $name, $network := .NetworkSettings.Networks}}{{$name}} {{$network.IPAddress}}{{"\\n"}}{{end}}';
    const text = await mustRun("docker", ["inspect", "--format", format, `routeql-${this.#stack}-${service}`]);
    const [network, address] = (text.split("\n")[0] ?? "").split(" ");
    if (network === undefined || address === undefined || address === "")
      throw new Error(`the container of ${service} has no address`);
    const isInternal =
      (await mustRun("docker", ["network", "inspect", "--format", "{{.Internal}}", network])).trim() === "true";
    if (isInternal && !this.#networks.has(network)) this.#networks.set(network, await addHostAddress(network));
    return address;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const network of this.#networks.values()) await network[Symbol.asyncDispose]();
    this.#networks.clear();
  }
}
