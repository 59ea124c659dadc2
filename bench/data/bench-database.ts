import { getContainerRuntimeClient } from "testcontainers";
import { image } from "@routeql/tests/harness/image";
import { DatabaseContainer, type StartedDatabaseContainer } from "@routeql/tests/harness/database-container";

/** The kit's Postgres for a benchmark, at its own address, so that Docker's port proxy does not affect the measurement. */
export class BenchDatabase implements AsyncDisposable {
  readonly container: StartedDatabaseContainer;

  private constructor(container: StartedDatabaseContainer) {
    this.container = container;
  }

  static async start(): Promise<BenchDatabase> {
    return new BenchDatabase(await new DatabaseContainer(await image("database")).start());
  }

  /** Processor seconds that all processes of Postgres have used, in user and kernel mode. */
  async cpuSeconds(): Promise<number> {
    const { container } = await getContainerRuntimeClient();
    const figures = await container.getById(this.container.getId()).stats({ stream: false, "one-shot": true });
    return figures.cpu_stats.cpu_usage.total_usage / 1e9;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container.stop();
  }
}
