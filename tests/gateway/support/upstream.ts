import { resolve } from "node:path";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { image } from "../../harness/containers/image.ts";
import { ReachableContainer } from "../../harness/containers/container-address.ts";
import { runLabels } from "../../harness/run/run.ts";
import type { Answer, Received } from "./upstream-program.ts";

const ORDERS = 9000;

/** A fake service behind the gateway (upstream-program.ts), with the name of the service that it replaces. */
export class StartedUpstream extends ReachableContainer {
  /** Clears the received requests and sets the replies of these targets; all others get an echo. */
  async answer(answers: Readonly<Record<string, Answer>> = {}): Promise<void> {
    await fetch(this.orders(), { method: "PUT", body: JSON.stringify(answers) });
  }

  /** Requests since the last {@link answer}. */
  async received(): Promise<Received[]> {
    const response = await fetch(this.orders());
    return (await response.json()) as Received[];
  }

  /** Replaces the server as a rolling restart does, and resolves when the former server has stopped in order. */
  async replace(): Promise<void> {
    await fetch(`${this.orders()}replace`, { method: "PUT" });
  }

  /** Replaces the server and breaks all connections to the former one. */
  async breakOff(): Promise<void> {
    await fetch(`${this.orders()}kill`, { method: "PUT" });
  }

  private orders(): string {
    return `http://${this.getHost()}:${this.getMappedPort(ORDERS)}/`;
  }
}

/** The engine's image contains Node and a WebSocket library; the engine itself does not run. */
export async function startUpstream(name: string, network: string): Promise<StartedUpstream> {
  const container: StartedTestContainer = await new GenericContainer(await image("engine"))
    .withLabels(runLabels)
    .withNetworkMode(network)
    .withNetworkAliases(name)
    .withExposedPorts(ORDERS)
    .withCopyFilesToContainer([
      { source: resolve(import.meta.dirname, "upstream-program.ts"), target: "/routeql/upstream-program.ts" },
    ])
    .withCommand(["node", "/routeql/upstream-program.ts"])
    .withWaitStrategy(Wait.forLogMessage("upstream ready"))
    .start();
  return new StartedUpstream(container);
}
