import { randomBytes } from "node:crypto";
import { mustRun } from "../process.ts";
import { runId, runLabel } from "../run/run.ts";

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

  async [Symbol.asyncDispose](): Promise<void> {
    await mustRun("docker", ["network", "rm", this.name]);
  }
}
