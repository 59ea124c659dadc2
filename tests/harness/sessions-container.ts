import { randomBytes } from "node:crypto";
import { runLabels } from "./run.ts";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { keepInspection, noteSecret } from "./evidence.ts";
import { image } from "./image.ts";
import { keepLog } from "./logs.ts";
import { ReachableContainer } from "./container-address.ts";

const SESSIONS_PORT = 6379;
const PASSWORD_FILE = "/run/routeql/secrets/sessions-password";

/** The project's session store (Valkey). */
export class SessionsContainer extends GenericContainer {
  private readonly password = randomBytes(24).toString("hex");

  constructor(imageName: string) {
    super(imageName);
    this.withLabels(runLabels)
      .withExposedPorts(SESSIONS_PORT)
      .withEnvironment({ VALKEY_PASSWORD_FILE: PASSWORD_FILE })
      .withCopyContentToContainer([{ target: PASSWORD_FILE, content: this.password, mode: 0o444 }])
      .withNetworkAliases("sessions")
      .withLogConsumer(keepLog("sessions"))
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .withStartupTimeout(60_000);
  }

  override async start(): Promise<StartedSessionsContainer> {
    noteSecret("password of the session store", this.password);
    const started = new StartedSessionsContainer(await super.start(), this.password);
    await keepInspection(started.getId());
    return started;
  }
}

/** A running session store. */
export class StartedSessionsContainer extends ReachableContainer {
  private readonly password: string;

  constructor(container: StartedTestContainer, password: string) {
    super(container);
    this.password = password;
  }

  getPort(): number {
    return this.getMappedPort(SESSIONS_PORT);
  }

  getPassword(): string {
    return this.password;
  }

  /** `redis://:password@…`, for processes of this machine. */
  getConnectionUri(): string {
    return `redis://:${this.password}@${this.getHost()}:${this.getPort()}`;
  }

  /** `redis://:password@…` for containers on the same network, where its alias is `sessions`. */
  getInternalConnectionUri(): string {
    return `redis://:${this.password}@sessions:${SESSIONS_PORT}`;
  }
}

/** Starts the project's session store image; the fast way for most suites. */
export async function startSessions(): Promise<StartedSessionsContainer> {
  return new SessionsContainer(await image("sessions")).start();
}
