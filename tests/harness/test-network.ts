import { randomBytes } from "node:crypto";
import { mustRun } from "./process.ts";
import { runId, runLabel } from "./run.ts";

/** A Docker network of this run; containers join it with `.withNetworkMode(network.name)` and find each other by alias. */
export class TestNetwork implements AsyncDisposable {
  readonly name: string;

  private constructor(name: string) {
    this.name = name;
  }

  static async create(): Promise<TestNetwork> {
    const network = new TestNetwork(`rq-test-${runId}-${randomBytes(3).toString("hex")}`);
    await mustRun("docker", ["network", "create", "--label", `${runLabel}=${runId}`, network.name]);
    return network;
  }

  /**
   * The machine's own address on this network, reachable from containers of every network. The default network `bridge` has none until
   * the first restart of the Docker engine.
   */
  async gateway(): Promise<string> {
    return (
      await mustRun("docker", ["network", "inspect", this.name, "--format", "{{(index .IPAM.Config 0).Gateway}}"])
    ).trim();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await mustRun("docker", ["network", "rm", this.name]);
  }
}
