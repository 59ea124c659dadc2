import { runLabels } from "./run.ts";
import { AbstractStartedContainer, GenericContainer, Wait } from "testcontainers";
import { image } from "./image.ts";

const SESSIONS_PORT = 6379;

/** The kit's session store (Valkey). */
export class SessionsContainer extends GenericContainer {
  constructor(imageName: string) {
    super(imageName);
    this.withLabels(runLabels)
      .withExposedPorts(SESSIONS_PORT)
      .withNetworkAliases("sessions")
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .withStartupTimeout(60_000);
  }

  override async start(): Promise<StartedSessionsContainer> {
    return new StartedSessionsContainer(await super.start());
  }
}

/** A running session store. */
export class StartedSessionsContainer extends AbstractStartedContainer {
  /** `redis://…`, for processes of this machine. */
  getConnectionUri(): string {
    return `redis://${this.getHost()}:${this.getMappedPort(SESSIONS_PORT)}`;
  }

  /** `redis://…` for containers that share a network with this one, where its alias is `sessions`. */
  getInternalConnectionUri(): string {
    return `redis://sessions:${SESSIONS_PORT}`;
  }
}

/** Starts the kit's own session store image; the short way for most suites. */
export async function startSessions(): Promise<StartedSessionsContainer> {
  return new SessionsContainer(await image("sessions")).start();
}
