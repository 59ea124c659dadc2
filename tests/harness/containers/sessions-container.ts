import { randomBytes } from "node:crypto";
import { runLabels } from "../run/run.ts";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import { keepInspection, noteSecret } from "../run/evidence.ts";
import { image } from "./image.ts";
import { keepLog } from "../run/logs.ts";
import { ReachableContainer } from "./container-address.ts";

const SESSIONS_PORT = 6379;
const LOGIN_FILE = "/run/routeql/secrets/sessions-login";
const USER = "sidecar-1";

/** The project's session store (Valkey). */
export class SessionsContainer extends GenericContainer {
  private readonly password = randomBytes(24).toString("hex");

  constructor(imageName: string) {
    super(imageName);
    this.withLabels(runLabels)
      .withExposedPorts(SESSIONS_PORT)
      .withEnvironment({ VALKEY_LOGIN_FILE: LOGIN_FILE })
      .withCopyContentToContainer([{ target: LOGIN_FILE, content: `${USER} ${this.password}`, mode: 0o444 }])
      .withNetworkAliases("sessions")
      .withLogConsumer(keepLog("sessions"))
      .withWaitStrategy(Wait.forLogMessage(/Ready to accept connections/))
      .withStartupTimeout(60_000);
  }

  override async start(): Promise<StartedSessionsContainer> {
    noteSecret("password of the session store", this.password);
    const container = await super.start();
    const keeper = (await container.exec(["cat", "/tmp/keeper-password"])).output.trim();
    noteSecret("password of the session store's keeper", keeper);
    const started = new StartedSessionsContainer(container, this.password, keeper);
    await keepInspection(started.getId());
    return started;
  }
}

/** A running session store. */
export class StartedSessionsContainer extends ReachableContainer {
  private readonly password: string;
  private readonly keeper: string;

  constructor(container: StartedTestContainer, password: string, keeper: string) {
    super(container);
    this.password = password;
    this.keeper = keeper;
  }

  getPort(): number {
    return this.getMappedPort(SESSIONS_PORT);
  }

  /** `user:password` of the auth sidecar. */
  getLogin(): string {
    return `${USER}:${this.password}`;
  }

  /** For an auth sidecar on this machine. */
  getConnectionUri(): string {
    return `redis://${this.getLogin()}@${this.getHost()}:${this.getPort()}`;
  }

  /** For tests on this machine that read or delete any key. */
  getControlUri(): string {
    return `redis://keeper:${this.keeper}@${this.getHost()}:${this.getPort()}`;
  }

  /** For containers on the same network, where its alias is `sessions`. */
  getInternalConnectionUri(): string {
    return `redis://${this.getLogin()}@sessions:${SESSIONS_PORT}`;
  }
}

/** Starts the project's session store image; the fast way for most suites. */
export async function startSessions(): Promise<StartedSessionsContainer> {
  return new SessionsContainer(await image("sessions")).start();
}
