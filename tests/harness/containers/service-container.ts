import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { ReachableContainer } from "./container-address.ts";
import { keepInspection, noteSecret } from "../run/evidence.ts";
import { keepLog } from "../run/logs.ts";
import { runLabels } from "../run/run.ts";

const PORT = 8080;
const METRICS_PORT = 9090;

/** A container of one of the kit's services on Node. Its name is its alias on a network. */
export class ServiceContainer extends GenericContainer {
  private readonly service: string;
  protected readonly secrets = new Map<string, string>();

  /** @param health path that answers once the service is ready */
  constructor(imageName: string, service: string, health: string) {
    super(imageName);
    this.service = service;
    this.withLabels(runLabels)
      .withExposedPorts(PORT, METRICS_PORT)
      .withNetworkAliases(service)
      .withLogConsumer(keepLog(service))
      .withWaitStrategy(Wait.forHttp(health, PORT))
      .withStartupTimeout(60_000);
  }

  /** Writes a setting to a file, as in a deployment. */
  withSecret(name: string, value: string): this {
    this.secrets.set(name, value);
    noteSecret(`${this.service}: ${name}`, value);
    const target = `/run/routeql/secrets/${name.toLowerCase().replaceAll("_", "-")}`;
    return this.withCopyContentToContainer([{ target, content: value, mode: 0o444 }]).withEnvironment({
      [`${name}_FILE`]: target,
    });
  }

  override async start(): Promise<StartedServiceContainer> {
    const started = new StartedServiceContainer(await super.start(), this.secrets);
    await keepInspection(started.getId());
    return started;
  }
}

/** A running service. */
export class StartedServiceContainer extends ReachableContainer {
  private readonly secrets: ReadonlyMap<string, string>;

  constructor(container: StartedTestContainer, secrets: ReadonlyMap<string, string>) {
    super(container);
    this.secrets = secrets;
  }

  /** `http://…` without a trailing slash, for processes of this machine. */
  getUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(PORT)}`;
  }

  getMetricsUrl(): string {
    return `http://${this.getHost()}:${this.getMappedPort(METRICS_PORT)}/metrics`;
  }

  getSecret(name: string): string {
    const value = this.secrets.get(name);
    if (value === undefined) throw new Error(`the container has no secret ${name}`);
    return value;
  }
}
