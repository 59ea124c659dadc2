/** A registry that requires a login, on a loopback address, for which Docker daemons use plain HTTP. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pins } from "@routeql/pins/pins";
import { mustRun, run } from "../process.ts";
import { runId, runLabel } from "../run/run.ts";

const folder = resolve(import.meta.dirname, "../../local/registry");
const imageName = "routeql-test/registry:debian-trixie";

export class PrivateRegistry implements AsyncDisposable {
  readonly user = "registry-user";
  readonly password = `registry-${runId}-password`;
  /** `127.0.0.1:<port>` */
  readonly host: string;
  /** A folder for DOCKER_CONFIG, initially without a login. */
  readonly configFolder: string;
  readonly #container: string;

  private constructor(container: string, host: string, configFolder: string) {
    this.#container = container;
    this.host = host;
    this.configFolder = configFolder;
  }

  static async start(): Promise<PrivateRegistry> {
    await mustRun("docker", [
      "build",
      "--network",
      "host",
      "--build-arg",
      `DEBIAN_BASE=${pins.debian.image}`,
      "--tag",
      imageName,
      folder,
    ]);
    const configFolder = await mkdtemp(join(tmpdir(), "routeql-docker-config-"));
    const password = `registry-${runId}-password`;
    const environment = ["--env", "REGISTRY_USER=registry-user", "--env", `REGISTRY_PASSWORD=${password}`];
    const started = await mustRun("docker", [
      "run",
      "--detach",
      "--label",
      `${runLabel}=${runId}`,
      "--publish",
      "127.0.0.1::5000",
      ...environment,
      imageName,
    ]);
    const container = started.trim();
    const published = await mustRun("docker", ["port", container, "5000/tcp"]);
    const registry = new PrivateRegistry(container, published.trim(), configFolder);
    await registry.#answers();
    return registry;
  }

  /** The image's name in the registry. */
  name(image: string): string {
    return `${this.host}/${image}`;
  }

  /** `docker login`, as a user runs it. */
  async login(password = this.password): Promise<void> {
    await mustRun(
      "docker",
      ["--config", this.configFolder, "login", this.host, "--username", this.user, "--password-stdin"],
      { input: password },
    );
  }

  async logout(): Promise<void> {
    await mustRun("docker", ["--config", this.configFolder, "logout", this.host]);
  }

  /** Copies an image of this machine into the registry. */
  async add(localImage: string, name: string): Promise<string> {
    const reference = this.name(name);
    await mustRun("docker", ["tag", localImage, reference]);
    await mustRun("docker", ["--config", this.configFolder, "push", "--quiet", reference]);
    await mustRun("docker", ["image", "rm", reference]);
    return reference;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run("docker", ["rm", "--force", "--volumes", this.#container]);
    await rm(this.configFolder, { recursive: true, force: true });
  }

  async #answers(): Promise<void> {
    const end = Date.now() + 30_000;
    for (;;) {
      const answer = await fetch(`http://${this.host}/v2/`).catch(() => undefined);
      if (answer?.status === 401) return;
      if (Date.now() > end)
        throw new Error(`the registry does not answer: ${await mustRun("docker", ["logs", this.#container])}`);
      await new Promise((wake) => setTimeout(wake, 100));
    }
  }
}
