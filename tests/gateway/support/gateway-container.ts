import { setTimeout as sleep } from "node:timers/promises";
import { GenericContainer, type StartedTestContainer, Wait } from "testcontainers";
import type { GatewaySettings } from "@routeql/nginx/render";
import { gatewaySettings, renderGateway } from "@routeql/nginx/testing/gateway";
import { manifestOf } from "@routeql/infra/targets/docker/files";
import { FilesVolume } from "../../harness/docker/files-volume.ts";
import { keepLog } from "../../harness/run/logs.ts";
import { ReachableContainer } from "../../harness/containers/container-address.ts";
import { run } from "../../harness/process.ts";
import { runLabels } from "../../harness/run/run.ts";
import type { TestCertificate } from "../../harness/certificate.ts";

/** High limits, which only the tests of limits reach. */
export const roomySettings: GatewaySettings = {
  ...gatewaySettings,
  httpsPort: 8443,
  requestsPerSecondPerAddress: 10_000,
  burst: 10_000,
  loginRequestsPerMinutePerAddress: 10_000,
  connectionsPerAddress: 1000,
  queryReplySeconds: 60,
};

/** The project's gateway image, confined as in a deployment. */
export class GatewayContainer extends GenericContainer {
  private readonly certificate: TestCertificate;
  private readonly files = new FilesVolume();

  constructor(imageName: string, certificate: TestCertificate) {
    super(imageName);
    this.certificate = certificate;
    this.hostConfig.ReadonlyRootfs = true;
    this.withLabels(runLabels)
      .withUser("10101:10101")
      .withDroppedCapabilities("ALL")
      .withSecurityOpt("no-new-privileges")
      .withTmpFs({ "/tmp": "" })
      .withExposedPorts(8080, 8443, 32_000)
      .withLogConsumer(keepLog("gateway"))
      .withWaitStrategy(Wait.forListeningPorts())
      .withStartupTimeout(30_000)
      .withBindMounts([{ source: this.files.name, target: "/run/routeql", mode: "ro" }]);
  }

  /** @param edit changes the rendered files by name, for values without a setting */
  withSettings(settings: GatewaySettings, edit: (files: Record<string, string>) => void = () => {}): this {
    const files = renderGateway(settings);
    edit(files);
    const { certificate, privateKey } = this.certificate;
    const folders = { nginx: files, tls: { "certificate.pem": certificate, "private-key.pem": privateKey } };
    for (const [name, contents] of Object.entries(folders)) {
      for (const [file, content] of Object.entries(contents)) this.files.put(`${name}/${file}`, content);
    }
    return this;
  }

  override async start(): Promise<StartedGateway> {
    await this.files.fill(this.imageName.string);
    return new StartedGateway(await super.start(), this.certificate, {
      files: this.files,
      image: this.imageName.string,
    });
  }
}

interface Filled {
  readonly files: FilesVolume;
  readonly image: string;
}

export interface GatewayLog {
  readonly access: readonly Readonly<Record<string, unknown>>[];
  readonly text: string;
}

/** A running gateway. */
export class StartedGateway extends ReachableContainer {
  readonly certificate: TestCertificate;
  private readonly filled: Filled;

  constructor(container: StartedTestContainer, certificate: TestCertificate, filled: Filled) {
    super(container);
    this.certificate = certificate;
    this.filled = filled;
  }

  /** Replaces the certificate, like a cluster that renews it. */
  async replaceCertificate({ certificate, privateKey }: TestCertificate): Promise<void> {
    const { files, image } = this.filled;
    files.put("tls/private-key.pem", privateKey);
    files.put("tls/certificate.pem", certificate);
    await files.fill(image);
  }

  /** Replaces the configuration with its list of checksums, like an update on Docker. */
  async replaceFiles(configuration: Readonly<Record<string, string>>): Promise<void> {
    const { files, image } = this.filled;
    const contents = Object.entries(configuration).map(([name, content]) => [`nginx/${name}`, content] as const);
    for (const [path, content] of contents) files.put(path, content);
    files.put("files.sha256", manifestOf(contents));
    await files.fill(image);
  }

  /** Port of the named listener, at {@link getHost}. */
  port(listener: "redirect" | "api" | "console"): number {
    return this.getMappedPort({ redirect: 8080, api: 8443, console: 32_000 }[listener]);
  }

  /** The log up to and including the line of a request, by its `X-Request-Id`: standard output as parsed JSON objects, and both streams unchanged. */
  async log(request: string): Promise<GatewayLog> {
    const deadline = performance.now() + 20_000;
    for (;;) {
      const { stdout, stderr } = await run("docker", ["logs", this.getId()]);
      const access = stdout
        .split("\n")
        .filter((line) => line.startsWith("{"))
        .map((line) => JSON.parse(line) as Record<string, unknown>);
      if (access.some((line) => line["request_id"] === request)) return { access, text: stdout + stderr };
      if (performance.now() > deadline) throw new Error(`the gateway has logged no request ${request}`);
      await sleep(100);
    }
  }

  override async stop(): ReturnType<StartedTestContainer["stop"]> {
    const stopped = await super.stop();
    await this.filled.files[Symbol.asyncDispose]();
    return stopped;
  }

  override async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
