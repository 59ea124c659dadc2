import { image } from "../../tests/harness/image.ts";
import { DatabaseContainer, type DatabaseRole, type StartedDatabaseContainer } from "../../tests/harness/database-container.ts";

/** The kit's Postgres for a benchmark, at its own address, so that nothing is measured of Docker's port proxy. */
export class BenchDatabase implements AsyncDisposable {
  readonly container: StartedDatabaseContainer;

  private constructor(container: StartedDatabaseContainer) {
    this.container = container;
  }

  static async start(): Promise<BenchDatabase> {
    return new BenchDatabase(await new DatabaseContainer(await image("database")).start());
  }

  /** `postgres://…` with the container's own address on this machine's bridge. */
  url(role: DatabaseRole): string {
    const url = new URL(this.container.getConnectionUri(role));
    url.host = `${this.container.getIpAddress("bridge")}:5432`;
    return url.href;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.container.stop();
  }
}
