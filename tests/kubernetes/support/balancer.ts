import { join } from "node:path";
import { execa } from "execa";
import { node } from "./node.ts";
import { namespace } from "./stack.ts";

/** One line for each change: the name of a slice, and `node=ready` of its endpoints. */
const form = `jsonpath={.metadata.name}{range .endpoints[*]} {.nodeName}={.conditions.ready}{end}{"\\n"}`;

/**
 * Chooses a node with a ready gateway, as a load balancer with health checks does (`externalTrafficPolicy: Local`). It watches, because a
 * gateway that ends accepts connections for five seconds only, and kubectl may take as long to start on a busy machine.
 */
export class Balancer {
  readonly #addresses: Readonly<Record<string, string>>;
  readonly #end = new AbortController();
  readonly #ready = new Map<string, readonly string[]>();
  readonly #working: Promise<void>;
  #chosen: string;

  /** @param addresses by name of the node */
  constructor(addresses: Readonly<Record<string, string>>) {
    this.#addresses = addresses;
    this.#chosen = Object.values(addresses)[0]!;
    this.#working = this.#follow();
  }

  get address(): string {
    return this.#chosen;
  }

  async end(): Promise<void> {
    this.#end.abort();
    await this.#working;
  }

  async #follow(): Promise<void> {
    const slices = ["endpointslices", `--namespace=${namespace}`, "--selector=kubernetes.io/service-name=gateway"];
    const watch = ["get", ...slices, "--watch", `--output=${form}`];
    // The API server may end a watch. Until the next one the chosen node stays.
    while (!this.#end.signal.aborted) {
      const lines = execa(join(node.binaries, "kubectl"), [`--kubeconfig=${node.kubeconfig}`, ...watch], {
        cancelSignal: this.#end.signal,
        reject: false,
        buffer: false,
      });
      for await (const line of lines) this.#choose(line);
      await lines;
    }
  }

  #choose(line: string): void {
    const [slice = "", ...endpoints] = line.trim().split(" ");
    const ready = endpoints.map((each) => each.split("=")).filter(([, state]) => state === "true");
    this.#ready.set(
      slice,
      ready.map(([name = ""]) => this.#addresses[name]!),
    );
    const addresses = [...this.#ready.values()].flat();
    if (!addresses.includes(this.#chosen)) this.#chosen = addresses[0] ?? this.#chosen;
  }
}
